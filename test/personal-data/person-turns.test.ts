import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { insertRows } from '../support/run-sql.ts'
import type { RecordedRepository } from '../support/statement-recorder.ts'

const count = 40

describe.each(databases)('many exports and erasures of one account on $name', ({ name, open }) => {
  let world: RecordedClientele
  let recorded: RecordedRepository
  let clientele: Clientele

  beforeAll(async () => {
    world = await openRecordedClientele(open)
    ;({ clientele, recorded } = world)
  })
  afterAll(() => world.close())

  const addAccount = async () => (await clientele.accounts.create({ name: 'Acme' })).id
  const addUser = async (accountId: string) => {
    const input = { name: 'Ada', email: `${randomUUID()}@example.com`, password: 'correct horse' }
    return (await clientele.users.create(accountId, input)).user.id
  }

  test.each(['exportData', 'erase'] as const)(
    '%s: another account does not wait until all are done',
    async (method) => {
      const [busy, other] = [await addAccount(), await addAccount()]
      const users: string[] = []
      for (let index = 0; index < count; index++) users.push(await addUser(busy))
      const user = await addUser(other)
      // A key that signs receipts is there.
      if (method === 'erase') await clientele.users.erase(other, await addUser(other))
      // The connections are open: to open one may take as long as all of these.
      await Promise.all(users.map((each) => clientele.users.find(busy, each)))
      let done = 0
      const those = users.map(async (each) => {
        await clientele.users[method](busy, each)
        done++
      })
      const place = clientele.users[method](other, user).then(() => done)
      await Promise.all(those)
      // It came last: in the order of arrival it would be done last, too.
      expect(await place).toBeLessThan(count - 8)
    },
  )

  test('erase: what is deleted in parts before keeps no other account from its turn', async () => {
    const other = await addAccount()
    const user = await addUser(other)
    const busy = await Promise.all([addAccount(), addAccount()])
    const erased: { accountId: string; userId: string }[] = []
    for (const accountId of busy)
      for (let index = 0; index < 2; index++) {
        const userId = await addUser(accountId)
        erased.push({ accountId, userId })
        await insertRows(world.database.url, 'clientele_former_emails', 4_000, {
          account_id: `'${accountId}'`,
          user_id: `'${userId}'`,
          email: `'${userId}' || n || '@example.com'`,
        })
      }
    let done = 0
    const erasures = erased.map(async ({ accountId, userId }) => {
      await clientele.users.erase(accountId, userId)
      done++
    })
    await sleep(20)
    await clientele.users.exportData(other, user)
    expect(done).toBe(0)
    await Promise.all(erasures)
  })

  test('export: one that waits for the reads of its account keeps no other account from its turn', async () => {
    const busy = [await addAccount(), await addAccount()]
    const other = await addAccount()
    const { personalData } = recorded.repository
    const read = personalData.readEvents
    const readEvents = vi.spyOn(personalData, 'readEvents')
    onTestFinished(() => readEvents.mockRestore())
    let goOn: (() => void) | undefined
    const isOpen = new Promise<void>((resolve) => {
      goOn = resolve
    })
    readEvents.mockImplementation(async (accountId, ...rest) => {
      if (accountId !== other) await isOpen
      return read(accountId, ...rest)
    })
    const waiting: Promise<unknown>[] = []
    for (const accountId of [...busy, ...busy])
      waiting.push(clientele.users.exportData(accountId, await addUser(accountId)))
    await expect.poll(() => readEvents.mock.calls.length).toBe(4)
    await clientele.users.exportData(other, await addUser(other))
    goOn?.()
    await Promise.all(waiting)
  })

  test('run two per account and four in all at a time', async () => {
    const accounts = [await addAccount(), await addAccount(), await addAccount()]
    const users: { accountId: string; userId: string }[] = []
    for (const accountId of accounts)
      for (let index = 0; index < 4; index++)
        users.push({ accountId, userId: await addUser(accountId) })
    const running: string[] = []
    const seen = { all: 0, ofAccount: 0 }
    const { devices } = recorded.repository
    const read = devices.list
    const list = vi.spyOn(devices, 'list')
    list.mockImplementation(async (accountId, ...rest) => {
      running.push(accountId)
      seen.all = Math.max(seen.all, running.length)
      const ofAccount = running.filter((each) => each === accountId).length
      seen.ofAccount = Math.max(seen.ofAccount, ofAccount)
      await sleep(100)
      running.splice(running.indexOf(accountId), 1)
      return read(accountId, ...rest)
    })
    onTestFinished(() => list.mockRestore())
    const exports = users.map(({ accountId, userId }) =>
      clientele.users.exportData(accountId, userId),
    )
    await Promise.all(exports)
    expect(seen.all).toBeGreaterThan(1)
    expect(seen.all).toBeLessThanOrEqual(4)
    expect(seen.ofAccount).toBeLessThanOrEqual(2)
  })

  test('nothing is done for a caller who has gone, and two thousand requests of an account are in progress', async () => {
    const accountId = await addAccount()
    const userId = await addUser(accountId)
    const { personalData } = recorded.repository
    const read = personalData.readEvents
    const readEvents = vi.spyOn(personalData, 'readEvents')
    let goOn: (() => void) | undefined
    const isOpen = new Promise<void>((resolve) => {
      goOn = resolve
    })
    readEvents.mockImplementation(async (...input) => {
      await isOpen
      return read(...input)
    })
    onTestFinished(() => readEvents.mockRestore())
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const url = `/client/user/${userId}/export`
    let isGone = false
    const statuses: number[] = []
    const begin = async () => {
      const { status } = await send(clientele, 'GET', url, { key, isGone: () => isGone })
      statuses.push(status)
    }
    const asked: Promise<void>[] = []
    // A thousand may wait for their turn at once.
    for (let part = 0; part < 10; part++) {
      for (let count = 0; count < 201; count++) asked.push(begin())
      await sleep(100)
    }
    await expect.poll(() => statuses).toEqual(Array(10).fill(503))
    isGone = true
    goOn?.()
    await Promise.all(asked)
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(readEvents).toHaveBeenCalledTimes(2)
  })

  test.runIf(name === 'postgres')(
    'one of them at a time places new events; the others wait without connections',
    async () => {
      const accountId = await addAccount()
      await addUser(accountId)
      recorded.take()
      await Promise.all(Array.from({ length: count }, () => clientele.events.read(accountId)))
      const places = recorded.take().filter(({ sql }) => sql.includes('update "clientele_events"'))
      expect(places.length).toBeGreaterThan(0)
      expect(places.length).toBeLessThanOrEqual(3)
    },
  )
})
