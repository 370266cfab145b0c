import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { RowLocks } from '../support/row-locks.ts'

const locks = new RowLocks()
beforeAll(() => locks.open())
afterAll(() => locks.close())

test('a feed that is locked keeps no reader of another account waiting', async () => {
  const clientele = await openClientele(locks.url)
  const other = await openClientele(locks.url)
  const open = async (name: string) => {
    const { id } = await clientele.accounts.create({ name })
    // The first event makes the feed.
    await clientele.apiKeys.create(id)
    return id
  }
  // Feeds are asked about in the order of their accounts.
  const locked = await open('Acme')
  const free = await open('Globex')
  const wait = async (accountId: string) => {
    const { nextCursor: after } = await clientele.events.read(accountId, { limit: 1_000 })
    return clientele.events.read(accountId, { after, wait: 20 })
  }
  const [ofLocked, ofFree] = [wait(locked), wait(free)]
  // Both wait by then.
  await sleep(300)
  const holder = await locks.begin()
  await holder.query('select 1 from clientele_event_feeds where account_id = $1 for update', [
    locked,
  ])
  await other.apiKeys.create(locked)
  await locks.untilWaiting('select')
  await other.apiKeys.create(free)
  // Otherwise its reader hears of it when its own wait ends.
  const heard = await Promise.race([ofFree, sleep(10_000)])
  expect(heard?.data.map(({ type }) => type)).toEqual(['api_key.created'])
  let isRead = false
  void ofLocked.then(() => {
    isRead = true
  })
  expect(isRead).toBe(false)
  await holder.query('commit')
  expect((await ofLocked).data.map(({ type }) => type)).toEqual(['api_key.created'])
  await clientele.close()
  await other.close()
})
