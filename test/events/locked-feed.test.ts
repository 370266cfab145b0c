import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { RowLocks } from '../support/row-locks.ts'
import { runSql } from '../support/run-sql.ts'

const locks = new RowLocks()
beforeAll(() => locks.open())
afterAll(() => locks.close())

async function openFeed(clientele: Clientele, name: string): Promise<string> {
  const { id } = await clientele.accounts.create({ name })
  // The first event makes the feed.
  await clientele.apiKeys.create(id)
  await clientele.events.read(id)
  return id
}

/** Until it commits, no process places events in the feed. */
async function holdFeed(accountId: string) {
  const holder = await locks.begin()
  const lock = 'select 1 from clientele_event_feeds where account_id = $1 for update'
  await holder.query(lock, [accountId])
  return holder
}

test('a feed that is locked keeps no event of another account unlinked', async () => {
  const clientele = await openClientele(locks.url, { audit: { chain: true } })
  const locked = await openFeed(clientele, 'Acme')
  const free = await openFeed(clientele, 'Globex')
  const unlinked = () =>
    runSql(
      locks.url,
      `select 1 from clientele_events where account_id = '${free}' and position is null`,
    )
  await expect.poll(unlinked, { timeout: 10_000 }).toEqual([])
  const holder = await holdFeed(locked)
  await clientele.apiKeys.create(locked)
  await clientele.apiKeys.create(free)
  expect(await unlinked()).not.toEqual([])
  await expect.poll(unlinked, { timeout: 10_000 }).toEqual([])
  // Otherwise it is linked when the other account has been given up.
  await locks.untilWaiting('select')
  await holder.query('commit')
  await clientele.close()
})

test('a feed that is locked keeps no reader of another account waiting', async () => {
  const clientele = await openClientele(locks.url)
  const other = await openClientele(locks.url)
  // Feeds are asked about in the order of their accounts.
  const locked = await openFeed(clientele, 'Acme')
  const free = await openFeed(clientele, 'Globex')
  const wait = async (accountId: string) => {
    const { nextCursor: after } = await clientele.events.read(accountId, { limit: 1_000 })
    return clientele.events.read(accountId, { after, wait: 20 })
  }
  let isRead = false
  const ofLocked = wait(locked).finally(() => {
    isRead = true
  })
  const ofFree = wait(free)
  // Both wait by then.
  await sleep(300)
  const holder = await holdFeed(locked)
  await other.apiKeys.create(locked)
  await locks.untilWaiting('select')
  await other.apiKeys.create(free)
  // Otherwise its reader hears of it when its own wait ends.
  const heard = await Promise.race([ofFree, sleep(10_000)])
  expect(heard?.data.map(({ type }) => type)).toEqual(['api_key.created'])
  expect(isRead).toBe(false)
  await holder.query('commit')
  expect((await ofLocked).data.map(({ type }) => type)).toEqual(['api_key.created'])
  await clientele.close()
  await other.close()
})
