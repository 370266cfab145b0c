import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertEvents, insertUsers, runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { findWide, recordStatements } from './find-wide.ts'
import { openForPlans, type PlanWorld } from './open-for-plans.ts'
import { updateByImport } from './update-by-import.ts'
import { newAccount, start } from './world.ts'

const userCount = 20_000
const endpointCount = 20_000
/** What is asked by name is found by a key; the table, the account or its feed has 20,000 rows. */
const maxTouches = 4_500
const knowledge = ['no statistics', 'old statistics', 'new statistics'] as const

describe.each(knowledge)('reads and writes by few keys, on PostgreSQL with %s', (known) => {
  let world: PlanWorld
  let repository: Repository
  let accountId: string
  const endpoints: { accountId: string; id: string }[] = []

  beforeAll(async () => {
    world = await openForPlans()
    const { url } = world
    ;({ repository } = world)
    if (known === 'old statistics') {
      await insertUsers(url, await newAccount(repository), 50)
      await runSql(url, 'analyze')
    }
    accountId = await newAccount(repository)
    await insertUsers(url, accountId, userCount)
    await insertEvents(url, accountId, start, userCount)
    await runSql(
      url,
      `insert into clientele_event_feeds (account_id, last_position, purged_position)
       values ('${accountId}', ${userCount}, 0)`,
    )
    await insertEndpoints(url)
    if (known === 'new statistics') await runSql(url, 'analyze')
  }, 120_000)
  afterAll(() => world.close())

  /** Many accounts with an endpoint each that has something to send */
  async function insertEndpoints(url: string): Promise<void> {
    await runSql(
      url,
      `insert into clientele_accounts (id, name, created_at)
       select gen_random_uuid(), 'Endpoint ' || n, ${start}
       from generate_series(1, ${endpointCount}) as s(n)`,
      `insert into clientele_webhooks (account_id, id, url, types, description, is_active, encrypted_secret, created_at, updated_at,
         position, attempt_count, lease_until)
       select id, id, 'https://example.com/', '["*"]', '', true, 'secret', ${start}, ${start}, 0, 0, 0
       from clientele_accounts where name like 'Endpoint %'`,
      `insert into clientele_webhook_deliveries (account_id, webhook_id, event_id, position, payload, attempts, next_attempt_at)
       select id, id, id, 1, null, 1, ${start} from clientele_accounts where name like 'Endpoint %'`,
    )
    const rows = (await runSql(
      url,
      'select account_id as "accountId", id from clientele_webhooks order by id limit 20',
    )) as typeof endpoints // what the statement selects
    endpoints.splice(0, endpoints.length, ...rows)
  }

  async function findWideOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const statements = await recordStatements(world, work)
    return findWide(world, statements, {
      modes: ['force_custom_plan', 'force_generic_plan'],
      maxTouches,
      mayAdd: true,
    })
  }

  test('an import finds the users that it changes by their keys', async () => {
    expect(await findWideOf(() => updateByImport(repository, accountId))).toEqual({})
  })

  test("a person's events are found by the person, not in the feed", async () => {
    const user = (await repository.users.list(accountId, { page: 1, limit: 1 })).users[0]
    const id = user?.user.id ?? ''
    const work = async () => {
      await repository.personalData.readEvents(accountId, id, { after: 0, limit: 500 })
      await repository.personalData.erase(accountId, id, {
        inTurn: <T>(last: () => Promise<T>) => last(),
        eventOf: () => someEvent(accountId),
        countKeysOf: (emails) => [...emails],
        toAnswer: () => 'erased',
      })
    }
    expect(await findWideOf(work)).toEqual({})
  })

  test.each([60, 10_000, 19_990])(
    'the start of a read by time is found, %s ms after the first event',
    async (since) => {
      await repository.events.append(accountId, someEvent(accountId))
      const work = async () => {
        expect(await repository.events.findStart(accountId, start + since)).toBe(since - 1)
      }
      expect(await findWideOf(work)).toEqual({})
    },
  )

  test("pages of a user's part of the feed are read without the others'", async () => {
    const request = { userId: randomUUID(), limit: 100 }
    const work = async () => {
      await repository.events.read(accountId, { after: 0, ...request })
      await repository.events.readLatest(accountId, { after: 0, before: 10_000, ...request })
    }
    expect(await findWideOf(work)).toEqual({})
  })

  test('an API key is found by its hash among those of its account', async () => {
    const hash = 'hash 12345'
    await runSql(
      world.url,
      `insert into clientele_api_keys (account_id, id, name, scopes, prefix, hash, created_at)
       select '${accountId}', gen_random_uuid(), 'key', '[]', 'cu_', 'hash ' || n, ${start}
       from generate_series(1, 20000) as s(n)`,
      ...(known === 'new statistics' ? ['analyze clientele_api_keys'] : []),
    )
    const subject = { userId: randomUUID(), sessionId: randomUUID() }
    const work = async () => {
      for (const asked of [undefined, subject])
        expect(
          await repository.apiKeys.findByHash(hash, start, asked, () => accountId),
        ).toBeDefined()
    }
    expect(await findWideOf(work)).toEqual({})
  })

  test('leases, look-ups and settlements of endpoints find each by its key', async () => {
    const work = async () => {
      const lease = { now: start, until: start + 30_000 }
      const leased = await Promise.all(
        endpoints.map(({ accountId: of, id }) =>
          repository.webhooks.lease(of, id, { ...lease, holder: id }),
        ),
      )
      expect(leased.filter((each) => each !== undefined)).toHaveLength(endpoints.length)
      await Promise.all(
        endpoints.map(({ accountId: of, id }) =>
          repository.webhooks.listPending(of, id, { after: 0, until: start + 1 }, 20),
        ),
      )
      await Promise.all(
        endpoints.map(({ accountId: of, id }) =>
          repository.webhooks.findSendable(of, id, { id, url: 'https://example.com/' }),
        ),
      )
      await Promise.all(
        endpoints.map(({ accountId: of, id }) =>
          repository.webhooks.settle(of, id, {
            holder: id,
            now: start,
            until: start,
            position: 0,
            failingSince: null,
            attemptCount: 1,
            pending: [
              {
                eventId: randomUUID(),
                position: 1,
                payload: null,
                attempts: 1,
                nextAttemptAt: start,
              },
            ],
            ended: [id],
            attempts: [],
          }),
        ),
      )
    }
    expect(await findWideOf(work)).toEqual({})
  })
})
