import type { Clientele, ClienteleEvent } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sweeper } from '../../packages/core/src/clientele/sweeper.ts'
import { toRecords } from '../import/import-world.ts'
import { codeOf, LogRecorder, openClientele, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { feedCursor } from '../support/feed-cursor.ts'
import { openRecorded } from '../support/statement-recorder.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'correct horse'

describe.each(databases)('the feed on $name', ({ name, open }) => {
  let database: OpenDatabase
  let first: Clientele
  let second: Clientele
  let now = Date.now()

  beforeAll(async () => {
    database = await open()
    const options = { clock: () => now }
    first = await openClientele(database.url, options)
    second = await openClientele(database.url, options)
  })
  afterAll(async () => {
    await first.close()
    await second.close()
    await database.close()
  })

  const newAccount = async () => (await first.accounts.create({ name: 'Acme' })).id
  const addUser = (accountId: string, index = 0, at = first) =>
    at.users.create(accountId, { name: 'Ada', email: `ada${index}@example.com`, password })

  async function readAll(accountId: string, at = first): Promise<ClienteleEvent[]> {
    const events: ClienteleEvent[] = []
    let after: string | undefined
    for (;;) {
      const page = await at.events.read(accountId, { after, limit: 7 })
      events.push(...page.data)
      after = page.nextCursor
      if (!page.hasMore) return events
    }
  }

  test('an event has its type, actor, request and subject', async () => {
    const accountId = await newAccount()
    const actor = { type: 'api_key', id: 'a key' } as const
    const { user } = await first.users.create(
      { accountId, actor, requestId: 'request-1' },
      { name: 'Ada', email: 'ada@example.com', password, metadata: { b: 1, a: [null] } },
    )
    const patched = await first.users.patch(accountId, user.id, { name: 'Ada Byron', password })
    await first.users.deactivate(accountId, user.id)
    await first.users.deactivate(accountId, user.id)
    await first.users.delete(accountId, user.id)
    const events = await readAll(accountId)
    const subject = { type: 'user', id: user.id }
    expect(events).toMatchObject([
      { type: 'user.created', actor, requestId: 'request-1', subject, data: { user } },
      {
        type: 'user.updated',
        actor: { type: 'operator', id: null },
        subject,
        data: { user: patched.user, changed: ['name', 'password'] },
      },
      { type: 'user.deactivated', subject, data: { user: { isActive: false } } },
      { type: 'user.deleted', subject, data: { user: { name: 'Ada Byron' } } },
    ])
    expect(JSON.stringify(events)).not.toContain(password)
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  })

  test('the feed has sign-ins, failed sign-ins and sign-outs, also with unknown addresses', async () => {
    const accountId = await newAccount()
    const { user } = await addUser(accountId)
    const { email } = user
    const signedIn = await first.auth.logIn(accountId, { email, password })
    if (!('refreshToken' in signedIn)) throw new Error('A second factor was asked for.')
    await codeOf(first.auth.logIn(accountId, { email, password: 'wrong one' }))
    await codeOf(first.auth.logIn(accountId, { email: 'nobody@example.com', password }))
    await first.auth.logOut(accountId, { refreshToken: signedIn.refreshToken })
    const byUser = { type: 'user', id: user.id }
    const told = (await readAll(accountId)).filter(({ subject }) => subject.type === 'user')
    expect(told.slice(1)).toMatchObject([
      { type: 'user.logged_in', actor: byUser, data: { amr: ['pwd'], user: { email } } },
      { type: 'user.login_failed', subject: { id: user.id }, data: { email } },
      { type: 'user.login_failed', subject: { id: null }, data: { email: 'nobody@example.com' } },
      { type: 'user.logged_out', actor: byUser },
    ])
  })

  test('a failed change leaves no event', async () => {
    const accountId = await newAccount()
    const { user } = await addUser(accountId)
    expect(await codeOf(addUser(accountId))).toBe('email_taken')
    const stale = { ifVersion: 7 }
    expect(await codeOf(first.users.patch(accountId, user.id, { name: 'Bob' }, stale))).toBe(
      'precondition_failed',
    )
    await first.users.patch(accountId, user.id, {})
    expect(await readAll(accountId)).toHaveLength(1)
  })

  test('with many writers each event comes once, and the events of a user in order', async () => {
    const accountId = await newAccount()
    const users = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => addUser(accountId, index)))
    let isOver = false
    const read = (async () => {
      const events: ClienteleEvent[] = []
      let after: string | undefined
      for (;;) {
        const wasOver = isOver
        const page = await second.events.read(accountId, { after, limit: 5, wait: 1 })
        events.push(...page.data)
        after = page.nextCursor
        if (wasOver && !page.hasMore && page.data.length === 0) return events
      }
    })()
    await Promise.all(
      users.flatMap(({ user }) =>
        [first, second].map(async (at) => {
          for (let turn = 0; turn < 8; turn++)
            await at.users.patch(accountId, user.id, {
              metadata: { turn: `${turn} ${at === first}` },
            })
        }),
      ),
    )
    isOver = true
    const events = await read
    expect(events).toHaveLength(6 + 6 * 2 * 8)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    for (const { user } of users) {
      const times = events
        .filter(({ subject }) => subject.id === user.id)
        .map(({ data }) => (data.user?.metadata as { turn?: string } | undefined)?.turn ?? '')
      const ofFirst = times.filter((turn) => turn.endsWith('true')).map((turn) => turn[0])
      expect(ofFirst.join('')).toBe('01234567')
      const last = (await first.users.find(accountId, user.id)).user.metadata as { turn: string }
      expect(times.at(-1)).toBe(last.turn)
    }
  })

  test.runIf(name === 'postgres')('an event that is committed late is not skipped', async () => {
    const accountId = await newAccount()
    const slow = new Client({ connectionString: database.url })
    await slow.connect()
    await slow.query('begin')
    await slow.query(
      `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data)
       values ($1, gen_random_uuid(), 'api_key.revoked', 0, 'system', 'late', 'api_key', '{}')`,
      [accountId],
    )
    await addUser(accountId)
    const before = await first.events.read(accountId)
    expect(before.data.map(({ type }) => type)).toEqual(['user.created'])
    await slow.query('commit')
    await slow.end()
    const { data } = await first.events.read(accountId, { after: before.nextCursor })
    expect(data.map(({ requestId }) => requestId)).toEqual(['late'])
  })

  test('types and users are filters, and the cursor moves past other events', async () => {
    const accountId = await newAccount()
    const { user } = await addUser(accountId, 1)
    await addUser(accountId, 2)
    await first.users.activate(accountId, user.id)
    await first.users.deactivate(accountId, user.id)
    const typesOf = async (input: object) =>
      (await first.events.read(accountId, input)).data.map(({ type }) => type)
    expect(await typesOf({ types: ['user.deactivated'] })).toEqual(['user.deactivated'])
    expect(await typesOf({ types: ['user.*'], userId: user.id })).toEqual([
      'user.created',
      'user.deactivated',
    ])
    const none = await first.events.read(accountId, { types: ['issuer.created'] })
    expect(none).toMatchObject({ data: [], hasMore: false })
    expect((await first.events.read(accountId, { after: none.nextCursor })).data).toEqual([])
  })

  test('the feed can be read backwards to its beginning, with the same filters', async () => {
    const accountId = await newAccount()
    expect(await first.events.read(accountId, { sort: '-createdAt' })).toMatchObject({
      data: [],
      hasMore: false,
    })
    const { user } = await addUser(accountId)
    for (let index = 1; index < 10; index++) await addUser(accountId, index, second)
    await first.users.deactivate({ accountId, actor: { type: 'user', id: 'me' } }, user.id)
    const newestFirst = (await readAll(accountId)).toReversed()

    const seen: ClienteleEvent[] = []
    let after: string | undefined
    for (let hasMore = true; hasMore; ) {
      const page = await first.events.read(accountId, { sort: '-createdAt', after, limit: 4 })
      seen.push(...page.data)
      ;({ nextCursor: after, hasMore } = page)
    }
    expect(seen).toEqual(newestFirst)

    const last = await first.events.read(accountId, { sort: '-createdAt', limit: 1 })
    const onwards = await first.events.read(accountId, { after: last.nextCursor })
    expect(onwards).toMatchObject({ data: [newestFirst[0]], hasMore: false })

    const read = async (filter: object) =>
      (await first.events.read(accountId, { sort: '-createdAt', ...filter })).data
    expect(await read({ types: ['user.deactivated'] })).toEqual(newestFirst.slice(0, 1))
    expect(await read({ actor: 'user' })).toEqual(newestFirst.slice(0, 1))
    expect(await read({ userId: user.id })).toEqual([newestFirst[0], newestFirst.at(-1)])
    const asked = first.events.read(accountId, { sort: '-createdAt', wait: 1 })
    expect(await codeOf(asked)).toBe('validation_failed')
  })

  test('the feed can be read from a time on, in both directions', async () => {
    const accountId = await newAccount()
    await addUser(accountId, 1)
    now += 60_000
    const since = new Date(now)
    const { user } = await addUser(accountId, 2)
    const { user: latest } = await addUser(accountId, 3)
    const idsOf = async (sort: 'createdAt' | '-createdAt') => {
      const { data, hasMore } = await first.events.read(accountId, { since, sort })
      expect(hasMore).toBe(false)
      return data.map(({ subject }) => subject.id)
    }
    expect(await idsOf('createdAt')).toEqual([user.id, latest.id])
    expect(await idsOf('-createdAt')).toEqual([latest.id, user.id])
    const later = new Date(now + 60_000)
    expect((await first.events.read(accountId, { since: later })).data).toEqual([])
  })

  test('a page ends at about a megabyte of events, and the next continues there', async () => {
    const accountId = await newAccount()
    const metadata = { note: 'x'.repeat(8_000) }
    const count = 150
    const records = Array.from({ length: count }, (_, index) => ({
      email: `user-${index}@example.com`,
      name: 'Ada Lovelace',
      metadata,
    }))
    await first.users.import(accountId, toRecords(records))
    const { data: users } = await first.users.list(accountId, { limit: 100 })
    const [user] = users
    for (let index = 0; index < count; index++)
      await first.users.patch(accountId, user?.id ?? '', { name: `Ada ${index}` })
    const ways = [
      (after?: string) => first.events.read(accountId, { after, limit: 1_000 }),
      (after?: string) => first.events.read(accountId, { after, limit: 1_000, sort: '-createdAt' }),
      (after?: string) => first.users.exportData(accountId, user?.id ?? '', { after }),
    ]
    for (const read of ways) {
      const names: unknown[] = []
      let after: string | undefined
      for (let hasMore = true; hasMore; ) {
        const page = await read(after)
        const events = 'data' in page ? page.data : page.events
        const sizes = events.map((event) => JSON.stringify(event).length)
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1.2 * 1024 * 1024)
        for (const { type, data } of events)
          if (type === 'user.updated') names.push(data.user?.name)
        ;({ nextCursor: after, hasMore } = page)
      }
      if (read === ways[1]) names.reverse()
      expect(names).toEqual(Array.from({ length: count }, (_, index) => `Ada ${index}`))
    }
  })

  test('a waiting read returns the next event, of this process or of another', async () => {
    const accountId = await newAccount()
    const { nextCursor } = await first.events.read(accountId)
    const waits = [first, second].map((at) =>
      at.events.read(accountId, { after: nextCursor, wait: 25 }),
    )
    await addUser(accountId)
    for (const page of await Promise.all(waits))
      expect(page.data.map(({ type }) => type)).toEqual(['user.created'])
  })

  test('readers that wait for other events are not woken, and new events are read once for all', async () => {
    const recorded = openRecorded(database.url)
    const watched = await openClientele(database.url, { repository: recorded.repository })
    const accountId = await newAccount()
    const { nextCursor: after } = await watched.events.read(accountId)
    const readers = Array.from({ length: 90 }, () =>
      watched.events.read(accountId, { after, types: ['webhook.deleted'], wait: 25 }),
    )
    const { user } = await addUser(accountId, 0, watched)
    recorded.take()
    for (let turn = 0; turn < 10; turn++) {
      const after = feedCursor(accountId, turn + 1)
      const next = watched.events.read(accountId, { after, wait: 25 })
      await watched.users.patch(accountId, user.id, { metadata: { turn: `${turn}` } })
      expect((await next).data).toHaveLength(1)
    }
    const reads = recorded.take().filter(({ sql }) => sql.includes('clientele_event_feeds'))
    // Were each of them woken by each event, it would be 900 at least.
    expect(reads.length).toBeLessThan(450)
    const { id } = await watched.webhooks.create(accountId, { url: 'https://8.8.8.8/' })
    await watched.webhooks.delete(accountId, id)
    for (const { data } of await Promise.all(readers))
      expect(data.map(({ type }) => type)).toEqual(['webhook.deleted'])
    await watched.close()
    await recorded.close()
  })

  test('a hundred readers of an account may wait; another is answered at once', async () => {
    const accountId = await newAccount()
    const { nextCursor: after } = await first.events.read(accountId)
    const readers = Array.from({ length: 101 }, () =>
      first.events.read(accountId, { after, wait: 25 }),
    )
    expect(await Promise.race(readers)).toEqual({ data: [], nextCursor: after, hasMore: false })
    const others = await newAccount()
    const { nextCursor } = await first.events.read(others)
    const other = first.events.read(others, { after: nextCursor, wait: 25 })
    await addUser(others)
    expect((await other).data).toHaveLength(1)
    await addUser(accountId)
    const counts = (await Promise.all(readers)).map(({ data }) => data.length)
    expect(counts.toSorted()).toEqual([0, ...Array<number>(100).fill(1)])
  })

  test('a cursor of another account is refused, and so is an invalid one', async () => {
    const accountId = await newAccount()
    const { nextCursor } = await first.events.read(await newAccount())
    const { nextCursor: own } = await first.events.read(accountId)
    const others = [`${accountId} -1`, `${accountId} 1 1`, `${accountId} 01`].map((text) =>
      Buffer.from(text).toString('base64url'),
    )
    for (const after of [nextCursor, 'x', `${own}!`, `${own}=`, ...others])
      expect(await codeOf(first.events.read(accountId, { after }))).toBe('validation_failed')
    for (const input of [{ limit: 0 }, { limit: 1001 }, { wait: 26 }, { types: ['user.renamed'] }])
      expect(await codeOf(first.events.read(accountId, input))).toBe('validation_failed')
  })

  test('a cursor past the end of its feed is refused, also for a replay', async () => {
    const accountId = await newAccount()
    const webhook = await first.webhooks.create(accountId, { url: 'https://8.8.8.8/' })
    await addUser(accountId)
    const { nextCursor: end } = await first.events.read(accountId)
    const behind = feedCursor(accountId, 3)
    expect(end).toBe(feedCursor(accountId, 2))
    expect(await codeOf(first.events.read(accountId, { after: behind }))).toBe('validation_failed')
    expect(await codeOf(first.webhooks.replay(accountId, webhook.id, { after: behind }))).toBe(
      'validation_failed',
    )
    // A read assigns positions to events that another process has committed.
    await addUser(accountId, 1, second)
    expect((await first.events.read(accountId, { after: end })).data).toHaveLength(1)
    expect((await second.events.read(accountId, { after: behind })).data).toEqual([])
    await first.webhooks.replay(accountId, webhook.id, { after: behind })
  })

  test('old events are deleted, and a cursor from before them has expired', async () => {
    const accountId = await newAccount()
    const start = (await first.events.read(accountId)).nextCursor
    await addUser(accountId, 1)
    const day = 24 * 3_600_000
    now += 91 * day
    await first.apiKeys.create(accountId)
    await first.events.read(accountId)
    const repository = openRepository(database.url)
    const options = {
      repository,
      clock: () => now,
      retentionMs: 90 * day,
      logger: new LogRecorder(),
    }
    await new Sweeper(options).sweep()
    await repository.storage.close()
    const [oldest] = (await first.events.read(accountId, { limit: 1 })).data
    expect(oldest?.type).toBe('api_key.created')
    expect(await codeOf(first.events.read(accountId, { after: start }))).toBe('cursor_expired')
    // A read towards the beginning has come to it.
    expect(await first.events.read(accountId, { after: start, sort: '-createdAt' })).toMatchObject({
      data: [],
      hasMore: false,
    })
  })
})
