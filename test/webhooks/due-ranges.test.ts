import type { Repository } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addWebhook } from '../repository/isolation/webhooks.ts'
import { hour, newAccount, nextId, start } from '../repository/world.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const now = start

describe.each(databases)('deliveries of neighbouring endpoints on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let accountId: string
  /** In the order of their ids */
  let ids: string[]

  beforeAll(async () => {
    database = await open()
    repository = await openRepository(database.url)
    await repository.storage.migrate()
    accountId = await newAccount(repository)
    ids = []
    for (let count = 0; count < 3; count++)
      ids.push((await addWebhook(repository, { accountId })).id)
    await runSql(database.url, 'delete from clientele_events')
  })
  afterAll(async () => {
    await repository.storage.close()
    await database.close()
  })

  /** Gives the endpoints deliveries with these next attempts. */
  async function wait(...times: number[][]): Promise<void> {
    await runSql(database.url, 'delete from clientele_webhook_deliveries')
    for (const [index, id] of ids.entries())
      for (const nextAttemptAt of times[index] ?? []) {
        const pending = { eventId: nextId(), position: 1, payload: null, attempts: 1 }
        await repository.webhooks.addPending(accountId, id, { ...pending, nextAttemptAt })
      }
  }

  /** Which endpoints are due */
  async function look(): Promise<number[]> {
    const options = { isFailing: false, limit: 10, accountIds: [accountId] }
    const found = await repository.webhooks.findDue(now, options)
    return found.map(({ id }) => ids.indexOf(id)).sort()
  }

  test.each<{ times: number[][]; due: number[]; since: number | null }>([
    { times: [[], [], []], due: [], since: null },
    { times: [[now], [now + 1], [now]], due: [0, 2], since: now },
    { times: [[now + 1], [now - 5, now + 1], [now + 1]], due: [1], since: now - 5 },
    { times: [[now - 1], [], [now - 2, now - 9]], due: [0, 2], since: now - 9 },
    // Set aside while a clock was ahead
    { times: [[now + 1_000 * hour], [now + hour], []], due: [0], since: null },
    { times: [[], [now + hour], [now + hour, now + 1_000 * hour]], due: [2], since: null },
  ])('$times: $due are due', async ({ times, due, since }) => {
    await wait(...times)
    expect(await look()).toEqual(due)
    expect(await repository.webhooks.findDueSince(now)).toBe(since)
  })

  test('each has its own, from after a time to another, in the order of the times', async () => {
    await wait([5], [40, 10, 30, 20], [15])
    const list = async (index: number, after: number, until: number, limit = 10) => {
      const range = { after, until }
      const id = ids[index] ?? ''
      const found = await repository.webhooks.listPending(accountId, id, range, limit)
      return found.map(({ nextAttemptAt }) => nextAttemptAt)
    }
    const asked = [list(0, 0, 100), list(1, 0, 100), list(1, 10, 30), list(1, 0, 100, 2)]
    expect(await Promise.all([...asked, list(2, 15, 100)])).toEqual([
      [5],
      [10, 20, 30, 40],
      [20, 30],
      [10, 20],
      [],
    ])
  })
})
