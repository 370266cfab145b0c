import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addWebhook } from '../repository/isolation/webhooks.ts'
import { newTenant, nextId, start, type Tenant } from '../repository/world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'

const databases = eitherDatabase(import.meta.filename)

const now = start
const nothing = { pending: [], ended: [], attempts: [] }

describe.each(databases)('simultaneous queries of deliverers on $name', ({ name, open }) => {
  let database: OpenDatabase
  let recorded: RecordedRepository
  let tenants: Tenant[]

  beforeAll(async () => {
    database = await open()
    recorded = openRecorded(database.url)
    tenants = []
    for (let count = 0; count < 12; count++) tenants.push(await newTenant(recorded.repository))
  })
  afterAll(async () => {
    await recorded.close()
    await database.close()
  })

  const webhooks = () => recorded.repository.webhooks
  const events = () => recorded.repository.events

  /** In each account an endpoint, and where its feed ends. */
  async function addEndpoints() {
    const added: { accountId: string; id: string; end: number }[] = []
    for (const tenant of tenants) {
      const { id } = await addWebhook(recorded.repository, tenant)
      const { lastPosition: end } = await events().findEnd(tenant.accountId)
      added.push({ accountId: tenant.accountId, id, end })
    }
    return added
  }

  /** Expects that it takes no more statements for all than for one, where each is a round trip. */
  function expectFewStatements(): void {
    const statements = recorded.take().map(({ sql }) => sql)
    if (name === 'postgres') expect(statements.length).toBeLessThanOrEqual(6)
  }

  test('take few statements, and each gets its own results', async () => {
    const endpoints = await addEndpoints()
    const sent = new Map<string, string[]>()
    for (const [index, { accountId }] of endpoints.entries()) {
      // Of some more than one statement for all reads, of some none.
      const mine = Array.from({ length: 5 * index }, () => someEvent<never>(accountId))
      for (const event of mine) await events().append(accountId, event)
      sent.set(
        accountId,
        mine.map(({ id }) => id),
      )
    }
    const accountIds = endpoints.map(({ accountId }) => accountId)
    await webhooks().placeNews(accountIds)
    recorded.take()

    const lease = (holder: string) =>
      Promise.all(
        endpoints.map(({ accountId, id }) =>
          webhooks().lease(accountId, id, { holder, now, until: now + 30_000 }),
        ),
      )
    const leased = await lease('one')
    expect(leased.map((each) => each?.id)).toEqual(endpoints.map(({ id }) => id))
    expectFewStatements()
    expect(await lease('two')).toEqual(endpoints.map(() => undefined))

    const read = (limit: number) =>
      Promise.all(
        endpoints.map(({ accountId, end }) =>
          events().readPlaced(accountId, { after: end, limit }),
        ),
      )
    for (const limit of [3, 10, 100]) {
      const pages = await read(limit)
      for (const [index, { accountId, end }] of endpoints.entries()) {
        const ids = sent.get(accountId) ?? []
        expect(pages[index]?.events.map(({ id }) => id)).toEqual(ids.slice(0, limit))
        expect(pages[index]?.position).toBe(end + Math.min(limit, ids.length))
      }
    }
    recorded.take()

    const attempt = (index: number) => ({
      id: nextId(),
      eventId: nextId(),
      type: 'user.created',
      attempt: index,
      status: 204,
      reason: null,
      attemptedAt: now,
      durationMs: 5,
    })
    const settled = await Promise.all(
      endpoints.map(({ accountId, id, end }, index) =>
        webhooks().settle(accountId, id, {
          // One of them is not its holder's any more.
          holder: index === 0 ? 'none' : 'one',
          now,
          until: now + 30_000,
          position: end + index,
          failingSince: index === 1 ? now : null,
          attemptCount: 1,
          pending: [
            { eventId: nextId(), position: index, payload: null, attempts: 1, nextAttemptAt: now },
          ],
          ended: [],
          attempts: [attempt(index)],
        }),
      ),
    )
    expect(settled).toEqual(
      endpoints.map((_, index) => (index === 0 ? undefined : { updatedAt: start })),
    )
    expectFewStatements()
    const list = () =>
      Promise.all(
        endpoints.map(({ accountId, id }) =>
          webhooks().listPending(accountId, id, { after: 0, until: now }, 20),
        ),
      )
    const pending = await list()
    expectFewStatements()
    expect(pending.map((each) => each.map(({ position }) => position))).toEqual(
      endpoints.map((_, index) => (index === 0 ? [] : [index])),
    )
    for (const [index, { accountId, id }] of endpoints.entries()) {
      const attempts = await webhooks().listAttempts(accountId, id, 10)
      expect(attempts.map((each) => each.attempt)).toEqual(index === 0 ? [] : [index])
    }
    // What has ended goes, of its own endpoint alone.
    await Promise.all(
      endpoints.map(({ accountId, id, end }, index) =>
        webhooks().settle(accountId, id, {
          ...{ holder: 'one', now, until: now, position: end, failingSince: null },
          ...{ ...nothing, attemptCount: 1 },
          ended: index % 2 === 0 ? [] : (pending[index] ?? []).map(({ eventId }) => eventId),
        }),
      ),
    )
    expect((await list()).map((each) => each.length)).toEqual(
      endpoints.map((_, index) => (index === 0 || index % 2 === 1 ? 0 : 1)),
    )
  })

  test('read about 256 KiB of large events at a time, and miss none', async () => {
    const [{ accountId, end } = { accountId: '', end: 0 }] = await addEndpoints()
    const sent = Array.from({ length: 50 }, () => someEvent<never>(accountId))
    for (const event of sent) await events().append(accountId, event)
    await webhooks().placeNews([accountId])
    const data = JSON.stringify({ a: 'x'.repeat(20_000) })
    await runSql(
      database.url,
      `update clientele_events set data = '${data}' where account_id = '${accountId}'`,
    )
    const ids: string[] = []
    const counts: number[] = []
    for (let after = end; ids.length < sent.length; ) {
      const page = await events().readPlaced(accountId, { after, limit: 100 })
      ids.push(...page.events.map(({ id }) => id))
      counts.push(page.events.length)
      after = page.position
    }
    expect(ids).toEqual(sent.map(({ id }) => id))
    expect(counts).toEqual([13, 13, 13, 11])
  })

  test('fail only for the call that causes the fault', async () => {
    const endpoints = await addEndpoints()
    await Promise.all(
      endpoints.map(({ accountId, id }) =>
        webhooks().lease(accountId, id, { holder: 'one', now, until: now + 30_000 }),
      ),
    )
    const settled = await Promise.allSettled(
      endpoints.map(({ accountId, id, end }, index) =>
        webhooks().settle(accountId, id, {
          ...{ holder: 'one', now, until: now, failingSince: null, attemptCount: 0, ...nothing },
          // No database takes this for a place.
          position: index === 3 ? Number.NaN : end,
        }),
      ),
    )
    expect(settled.map(({ status }) => status)).toEqual(
      endpoints.map((_, index) => (index === 3 ? 'rejected' : 'fulfilled')),
    )
  })

  test('place the events of many accounts, even if one account fails', async () => {
    const ids: string[] = []
    for (const [index, { accountId }] of tenants.entries()) {
      const mine = Array.from({ length: 10 * index }, () => someEvent<never>(accountId))
      ids.push(...mine.map(({ id }) => id))
      for (const event of mine) await events().append(accountId, event)
    }
    const accountIds = tenants.map(({ accountId }) => accountId)
    const others = [...accountIds]
    const { accountId: broken } = await newTenant(recorded.repository)
    await events().append(broken, someEvent(broken))
    await events().findEnd(broken)
    accountIds.push(broken)
    // It has a chain, and this process no key for it.
    await runSql(
      database.url,
      `update clientele_event_feeds set chain = 'a chain' where account_id = '${broken}'`,
    )
    await events().append(broken, someEvent(broken))
    recorded.take()
    await expect(events().givePlaces(accountIds)).rejects.toMatchObject({ code: 'secret_required' })
    if (name === 'postgres') expect(recorded.take().length).toBeLessThanOrEqual(20)
    const heads = await events().findHeads(accountIds)
    expect(heads.filter(({ hasPending }) => hasPending).map((each) => each.accountId)).toEqual([
      broken,
    ])
    const placed = await Promise.all(
      others.map((accountId) => events().read(accountId, { after: 0, limit: 1_000 })),
    )
    for (const { events: read } of placed)
      expect(read.map(({ position }) => position)).toEqual(read.map((_, index) => index + 1))
    const read = new Set(placed.flatMap((page) => page.events.map(({ id }) => id)))
    expect(ids.filter((id) => !read.has(id))).toEqual([])
  })

  test.runIf(name === 'postgres')('wait only for their own rows', async () => {
    const [locked, free] = (await addEndpoints()).slice(0, 2)
    if (locked === undefined || free === undefined) throw new Error('Two were added.')
    const take = ({ accountId, id }: typeof free) =>
      webhooks().lease(accountId, id, { holder: 'one', now, until: now + 30_000 })
    await Promise.all([take(locked), take(free)])
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    await client.query(`select 1 from clientele_webhooks where id = '${locked.id}' for update`)
    const settle = ({ accountId, id, end }: typeof free) =>
      webhooks().settle(accountId, id, {
        ...{ holder: 'one', now, until: now, failingSince: null, attemptCount: 0, ...nothing },
        position: end,
      })
    const [first, second] = [settle(locked), settle(free)]
    expect(await second).toEqual({ updatedAt: start })
    await client.query('commit')
    await client.end()
    expect(await first).toEqual({ updatedAt: start })
  })
})
