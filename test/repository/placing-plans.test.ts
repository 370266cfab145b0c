import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { runSql, stopAutovacuum } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { newAccount, newUser } from './world.ts'

const pendingCount = 2_000
const connections = 3

let database: OpenDatabase
let pool: Pool
let repository: Repository

beforeAll(async () => {
  database = await openDatabase('postgres')
  pool = new Pool({ connectionString: database.url, max: connections })
  repository = postgres({ pool })
  await repository.storage.migrate()
  await stopAutovacuum(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.close()
})

/** A connection would say seconds later what it has read. */
async function flush(): Promise<void> {
  const free = connections - pool.totalCount + pool.idleCount
  const clients = await Promise.all(Array.from({ length: free }, () => pool.connect()))
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()')
    client.release()
  }
}

/** How many rows of events were read so far */
async function countRead(): Promise<number> {
  await flush()
  const [row] = await runSql(
    database.url,
    `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
       from pg_stat_user_tables where relname = 'clientele_events'`,
  )
  return Number(Object(row).read)
}

/** How many entries of the index of events without a position were passed so far */
async function countEntries(): Promise<number> {
  await flush()
  const [row] = await runSql(
    database.url,
    `select idx_tup_read as read from pg_stat_user_indexes
      where indexrelname = 'clientele_events_without_position'`,
  )
  return Number(Object(row).read)
}

/** Adds copies of one of the account's events, without a position. */
function addEvents(accountId: string) {
  return runSql(
    database.url,
    `insert into clientele_events
     (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id, data)
     select account_id, gen_random_uuid(), type, created_at, actor_type, request_id, subject_type, subject_id, data
       from (select * from clientele_events where account_id = '${accountId}' limit 1) e, generate_series(1, ${pendingCount})`,
  )
}

// PostgreSQL keeps the plan of a prepared statement that it made while the table was empty, until it analyzes the table.
test.each([
  ['of one account', 1],
  ['of several accounts', 2],
])(
  'places %s are given in a few reads of each event, by the plan of an empty table',
  async (_, accounts) => {
    const ids = await Promise.all(Array.from({ length: accounts }, () => newAccount(repository)))
    const place = () =>
      accounts === 1 ? repository.events.findEnd(ids[0] ?? '') : repository.events.givePlaces(ids)
    for (let count = 0; count < 12; count++) {
      for (const id of ids) await repository.users.create(id, newUser(), someEvent(id))
      await place()
    }
    for (const id of ids) await addEvents(id)
    const before = await countRead()
    await place()
    const read = (await countRead()) - before
    const ofEach = read / (accounts * pendingCount)
    expect(ofEach).toBeGreaterThan(1)
    expect(ofEach).toBeLessThan(100)
    // Those that have a place are not read, once the index has forgotten that they had none.
    let whole = 0
    for (let count = 0; count < 2; count++) {
      for (const id of ids) await repository.users.create(id, newUser(), someEvent(id))
      whole = await countRead()
      await place()
    }
    expect((await countRead()) - whole).toBeLessThan(pendingCount / 2)
  },
)

// What was placed while a dump runs stays in the index of events without a position until the dump ends.
test('a look for news passes the placed events of an account once, however many endpoints it has', async () => {
  const id = await newAccount(repository)
  await repository.users.create(id, newUser(), someEvent(id))
  await runSql(
    database.url,
    `insert into clientele_webhooks (account_id, id, url, types, description, is_active, encrypted_secret, created_at, updated_at, position)
     select '${id}', gen_random_uuid(), 'https://example.com', '[]', '', true, '', 0, 0, 0 from generate_series(1, 10)`,
  )
  const dump = await pool.connect()
  try {
    await dump.query('begin isolation level repeatable read; select 1')
    await addEvents(id)
    await repository.events.findEnd(id)
    const before = await countEntries()
    await repository.webhooks.placeNews([id])
    const passed = (await countEntries()) - before
    expect(passed).toBeGreaterThan(pendingCount / 2)
    expect(passed).toBeLessThan(2 * pendingCount)
  } finally {
    await dump.query('rollback')
    dump.release()
  }
})

// The index of events without a position stays as large as it once was, and seems dear while few events have none.
test('no other index than their own finds events without a position', async () => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('drop index clientele_events_without_position')
    await client.query('set local enable_seqscan = off')
    const { rows } = await client.query(
      `explain (format json) select id from clientele_events where account_id = '${randomUUID()}' and position is null`,
    )
    expect(JSON.stringify(rows)).not.toContain('of_subject')
  } finally {
    await client.query('rollback')
    client.release()
  }
})
