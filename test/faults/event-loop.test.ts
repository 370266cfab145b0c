import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { insertUsers, stopAutovacuum } from '../support/run-sql.ts'
import { hostileCalls } from './hostile-calls.ts'
import {
  createFarRequests,
  createGreedyRequests,
  createHostileRequests,
} from './hostile-requests.ts'
import { startWatchedServer, type WatchedServer } from './loop-watch.ts'

/** The longest time for which no other caller is answered. */
const limitMilliseconds = 50
const tries = 5
const userCount = 100_000

describe.each(databases)('the event loop on $name', ({ open }) => {
  let database: OpenDatabase
  let server: WatchedServer

  beforeAll(async () => {
    database = await open()
    server = await startWatchedServer(database.url)
    await stopAutovacuum(database.url)
  })
  afterAll(async () => {
    await server.stop()
    await database.close()
  })

  /** The least of several tries: what the machine does besides makes some of them longer, and none shorter. */
  async function findHold(work: () => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let count = 0; count < tries && least > limitMilliseconds; count++)
      least = Math.min(least, await server.measure(work))
    return Math.round(least)
  }

  async function findHolds(names: string[], work: (name: string) => Promise<unknown>) {
    const holds: Record<string, number> = {}
    for (const name of names) {
      const hold = await findHold(() => work(name))
      if (hold > limitMilliseconds) holds[name] = hold
    }
    return holds
  }

  test('the test detects a blocked loop', async () => {
    expect(await findHold(() => server.call('a hold'))).toBeGreaterThan(limitMilliseconds)
  })

  test('no request blocks it, whatever its content', async () => {
    const requests = createHostileRequests(server.apiKey)
    const statuses = new Set<string>()
    const holds = await findHolds(Object.keys(requests), async (name) =>
      statuses.add(await server.send(requests[name] ?? '')),
    )
    expect(holds).toEqual({})
    expect([...statuses].filter((status) => !/^[24]\d\d$/.test(status))).toEqual([])
  }, 120_000)

  test('no call blocks it, however large its input', async () => {
    const names = Object.keys(hostileCalls).filter((name) => name !== 'a hold')
    const codes: Record<string, string> = {}
    const holds = await findHolds(names, async (name) => {
      codes[name] = await server.call(name)
    })
    expect(holds).toEqual({})
    const taken = names.filter((name) => codes[name] === 'done')
    expect(taken).toEqual(['a record of an import', 'many records of an import', 'an export'])
    const codesOfOthers = names.filter((name) => codes[name] !== 'done').map((name) => codes[name])
    expect(new Set(codesOfOthers)).toEqual(new Set(['validation_failed', 'token_malformed']))
  }, 240_000)

  test('no response blocks it, however long it is', async () => {
    const requests = createGreedyRequests(server.apiKey)
    const holds = await findHolds(Object.keys(requests), async (name) =>
      expect(await server.send(requests[name] ?? '')).toBe('200'),
    )
    expect(holds).toEqual({})
  }, 60_000)

  test('no list of a large account blocks it', async () => {
    const large = await startWatchedServer(database.url)
    try {
      await insertUsers(database.url, large.accountId, userCount)
      const repository = repositoryOf(database.url)
      await repository.users.recount(large.accountId)
      await repository.storage.close()
      const requests = createFarRequests(large.apiKey, userCount)
      const holds: Record<string, number> = {}
      for (const [name, request] of Object.entries(requests)) {
        let least = Number.POSITIVE_INFINITY
        for (let count = 0; count < tries && least > limitMilliseconds; count++)
          least = Math.min(
            least,
            await large.measure(async () => expect(await large.send(request)).toBe('200')),
          )
        if (least > limitMilliseconds) holds[name] = Math.round(least)
      }
      expect(holds).toEqual({})
    } finally {
      await large.stop()
    }
  }, 180_000)
})
