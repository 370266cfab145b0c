import { type Clientele, createClientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle } from 'drizzle-orm/node-postgres'
import { CamelCasePlugin, Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' }
const toFile = (url: string) => url.slice('sqlite:'.length)

/** A database of each kind, with a Clientele and with instances of the libraries beside it */
const urls = { sqlite: '', postgres: '' }
const opened: OpenDatabase[] = []
let onSqlite: Clientele
let onPostgres: Clientele
let pool: Pool
let connection: Sqlite.Database
let pgKysely: Kysely<unknown>
let sqliteKysely: Kysely<unknown>
let accountIds: { sqlite: string; postgres: string }

beforeAll(async () => {
  for (const { name, open } of databases) {
    const database = await open()
    opened.push(database)
    urls[name] = database.url
  }
  onSqlite = await openClientele(urls.sqlite)
  onPostgres = await openClientele(urls.postgres)
  pool = new Pool({ connectionString: urls.postgres, max: 3 })
  connection = new Sqlite(toFile(urls.sqlite))
  pgKysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  sqliteKysely = new Kysely({ dialect: new SqliteDialect({ database: connection }) })
  accountIds = {
    sqlite: (await onSqlite.accounts.create({ name: 'Acme' })).id,
    postgres: (await onPostgres.accounts.create({ name: 'Acme' })).id,
  }
})
afterAll(async () => {
  await pgKysely.destroy()
  await sqliteKysely.destroy()
  await onSqlite.close()
  await onPostgres.close()
  for (const database of opened) await database.close()
})

describe('a handle that is not a transaction is refused by its name', () => {
  test("a transaction of PGlite's own, and a connection that is closed", () => {
    const ofPglite = { query: () => {}, exec: () => {}, sql: () => {} }
    expect(() => onPostgres.within(ofPglite)).toThrow(/Kysely or Drizzle/)
    const closed = new Sqlite(toFile(urls.sqlite))
    closed.close()
    expect(() => onSqlite.within(closed)).toThrow(/a connection that is closed/)
  })

  test('an instance of Kysely, and a connection of it', async () => {
    expect(() => onPostgres.within(pgKysely)).toThrow(/was given a Kysely instance/)
    expect(() => onSqlite.within(sqliteKysely)).toThrow(/was given a Kysely instance/)
    await pgKysely.connection().execute(async (db) => {
      expect(() => onPostgres.within(db)).toThrow(/was given a Kysely instance/)
    })
  })

  test('a database of Drizzle', () => {
    expect(() => onPostgres.within(drizzle({ client: pool }))).toThrow(/was given a Drizzle/)
  })

  test("Drizzle's transaction on SQLite, which waits for no promise", () => {
    const db = drizzleSqlite({ client: connection })
    expect(() => onSqlite.within(db)).toThrow(/give within\(\) the connection, db\.\$client/)
    db.transaction((tx) => {
      expect(() => onSqlite.within(tx)).toThrow(/give within\(\) the connection, db\.\$client/)
    })
  })
})

test('a transaction on the other kind of database is a foreign one', async () => {
  await pgKysely
    .transaction()
    .execute(async (trx) => {
      const call = onSqlite.within(trx).users.create(accountIds.sqlite, ada)
      expect(await codeOf(call)).toBe('transaction_foreign')
    })
    // PostgreSQL gives up a transaction in which a statement has failed.
    .catch(() => {})
  await sqliteKysely.transaction().execute(async (trx) => {
    const call = onPostgres.within(trx).users.create(accountIds.postgres, ada)
    expect(await codeOf(call)).toBe('transaction_foreign')
  })
  expect((await onSqlite.users.list(accountIds.sqlite)).total).toBe(0)
  expect((await onPostgres.users.list(accountIds.postgres)).total).toBe(0)
})

test('plugins of Kysely change nothing', async () => {
  for (const [clientele, db, id] of [
    [onPostgres, pgKysely, accountIds.postgres],
    [onSqlite, sqliteKysely, accountIds.sqlite],
  ] as const) {
    const plugged = db.withPlugin(new CamelCasePlugin()).withSchema('elsewhere')
    await plugged.transaction().execute(async (trx) => {
      const { users } = clientele.within(trx)
      const email = 'plugged@example.com'
      const { user } = await users.create(id, { ...ada, email, metadata: { two_words: [1, 'b'] } })
      expect((await users.find(id, user.id)).user).toMatchObject({
        email,
        metadata: { two_words: [1, 'b'] },
        createdAt: user.createdAt,
      })
    })
  }
})

test('a conflict of a serializable transaction says that it must be started again', async () => {
  const { id } = await onPostgres.accounts.create({ name: 'Globex' })
  const { user } = await onPostgres.users.create(id, { ...ada, email: 'busy@example.com' })
  const outcome = pgKysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const { users } = onPostgres.within(trx)
      await users.find(id, user.id)
      await onPostgres.users.patch(id, user.id, { name: 'Ada King' })
      await users.patch(id, user.id, { name: 'Ada Byron' })
    })
  expect(await codeOf(outcome)).toBe('transaction_failed')
  expect((await onPostgres.users.find(id, user.id)).user.name).toBe('Ada King')
})

test('a savepoint of the host rolls back its writes, and their events are not published', async () => {
  for (const [clientele, db, id] of [
    [onPostgres, pgKysely, accountIds.postgres],
    [onSqlite, sqliteKysely, accountIds.sqlite],
  ] as const) {
    const told: string[] = []
    const emails = ['stays@example.com', 'goes@example.com', 'comes@example.com']
    // Events of other tests may come late.
    clientele.events.on('user.created', ({ user }) => {
      if (emails.includes(user.email)) told.push(user.email)
    })
    const trx = await db.startTransaction().execute()
    await clientele.within(trx).users.create(id, { ...ada, email: 'stays@example.com' })
    const inside = await trx.savepoint('own').execute()
    const { users } = clientele.within(inside)
    await users.create(id, { ...ada, email: 'goes@example.com' })
    await inside.rollbackToSavepoint('own').execute()
    await users.create(id, { ...ada, email: 'comes@example.com' })
    await trx.commit().execute()
    expect((await clientele.users.list(id, { q: 'stays' })).total).toBe(1)
    expect((await clientele.users.list(id, { q: 'goes' })).total).toBe(0)
    await vi.waitFor(() =>
      expect(told.toSorted()).toEqual(['comes@example.com', 'stays@example.com']),
    )
  }
})

test('within() works on the connection of Clientele itself, through Kysely', async () => {
  const database = new Sqlite(':memory:')
  const logger = new LogRecorder()
  const clientele = await createClientele({ repository: sqlite({ database }), logger })
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const told: string[] = []
  clientele.events.on('user.created', ({ user }) => told.push(user.email))
  await db.transaction().execute(async (trx) => {
    await clientele.within(trx).users.create(id, ada)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told).toEqual([])
  })
  await vi.waitFor(() => expect(told).toEqual([ada.email]))

  const other = new Sqlite(':memory:')
  const stranger = new Kysely<unknown>({ dialect: new SqliteDialect({ database: other }) })
  await stranger.transaction().execute(async (trx) => {
    expect(await codeOf(clientele.within(trx).users.create(id, ada))).toBe('transaction_foreign')
  })
  await sql`pragma foreign_keys = off`.execute(db)
  await db.transaction().execute(async (trx) => {
    expect(await codeOf(clientele.within(trx).users.create(id, ada))).toBe('transaction_invalid')
  })
  await clientele.close()
  await db.destroy()
  await stranger.destroy()
})

test('a later transaction in another schema is refused as foreign', async () => {
  const schema = await createClientele({
    repository: postgres({ connectionString: urls.postgres, schema: 'tenant2' }),
    secrets: ['a secret of the tests, 32 characters'],
    logger: new LogRecorder(),
  })
  const client = await pool.connect()
  await client.query('begin')
  await onPostgres.within(client).accounts.list()
  await client.query('commit')
  await client.query('begin')
  await client.query('set local search_path to tenant2')
  const call = onPostgres.within(client).accounts.create({ name: 'Astray' })
  expect(await codeOf(call)).toBe('transaction_foreign')
  await client.query('commit')
  client.release()
  expect(await schema.accounts.list()).toEqual([])
  await schema.close()
})

test('a call does not continue in the transaction after its own', async () => {
  const { id } = await onPostgres.accounts.create({ name: 'Initech' })
  const client = await pool.connect()
  const { users } = onPostgres.within(client)
  await client.query('begin')
  const calls = ['one', 'two'].map((name) =>
    codeOf(users.create(id, { ...ada, email: `${name}@example.com` })),
  )
  const listing = codeOf(users.list(id))
  await client.query('rollback')
  await client.query('begin')
  expect(await Promise.all([...calls, listing])).toEqual(Array(3).fill('transaction_required'))
  const { user } = await users.create(id, { ...ada, email: 'three@example.com' })
  await client.query('commit')
  client.release()
  expect((await onPostgres.users.list(id)).data).toEqual([user])
})

describe('a connection of better-sqlite3', () => {
  let host: Sqlite.Database
  let id: string
  beforeAll(async () => {
    host = new Sqlite(toFile(urls.sqlite))
    id = (await onSqlite.accounts.create({ name: 'Umbrella' })).id
  })
  afterAll(() => void host.close())

  test("writes that better-sqlite3's transaction() did not await are not committed by the next one", async () => {
    const lates: Promise<string | undefined>[] = []
    const work = host.transaction(async () => {
      const { users } = onSqlite.within(host)
      lates.push(codeOf(users.create(id, { ...ada, email: 'leaked@example.com' })))
    })
    expect(() => work()).toThrow(/cannot return a promise/)
    // In the same tick: nothing could see that no transaction was open for a moment.
    host.exec('begin')
    const own = onSqlite.within(host).users.create(id, { ...ada, email: 'own@example.com' })
    expect(await Promise.all(lates)).toEqual(['transaction_required'])
    await own
    host.exec('commit')
    expect((await onSqlite.users.list(id)).data.map(({ email }) => email)).toEqual([
      'own@example.com',
    ])
  })

  test('the calls of two simultaneous transactions stay separate', async () => {
    const { users } = onSqlite.within(host)
    const names = ['1', '2', '3', '4', '5']
    const calls = names.map((name) => {
      host.exec('begin')
      const call = codeOf(users.create(id, { ...ada, email: `apart-${name}@example.com` }))
      if (name !== '5') host.exec(Number(name) % 2 === 0 ? 'commit' : 'rollback')
      return call
    })
    expect(await Promise.all(calls)).toEqual([...Array(4).fill('transaction_required'), undefined])
    host.exec('commit')
    const { data } = await onSqlite.users.list(id, { q: 'apart' })
    expect(data.map(({ email }) => email)).toEqual(['apart-5@example.com'])
  })

  test("a write that breaks a foreign key is refused at once, ours and then the host's", async () => {
    const none = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
    const { users } = onSqlite.within(host)
    host.exec('begin')
    expect(await codeOf(users.create(none, ada))).toBe('account_not_found')
    await users.create(id, { ...ada, email: 'belongs@example.com' })
    const insert = host.prepare("insert into clientele_user_roles values (?, 'r', ?)")
    expect(() => insert.run(none, none)).toThrow(/FOREIGN KEY/)
    host.exec('rollback')
  })

  test('a transaction with deferred foreign keys keeps them deferred', async () => {
    host.exec('begin; pragma defer_foreign_keys = on')
    await onSqlite.within(host).users.create(id, { ...ada, email: 'deferred@example.com' })
    expect(host.pragma('defer_foreign_keys', { simple: true })).toBe(1)
    host.exec('commit')
    expect((await onSqlite.users.list(id, { q: 'deferred' })).total).toBe(1)
  })
})

test('a call that was made before the transaction began is refused', async () => {
  const host = new Sqlite(toFile(urls.sqlite))
  const call = onSqlite.within(host).users.create(accountIds.sqlite, ada)
  host.exec('begin')
  expect(await codeOf(call)).toBe('transaction_required')
  host.exec('rollback')
  host.close()
})

test('a transaction that may only read is refused by name', async () => {
  const client = await pool.connect()
  await client.query('begin read only')
  const call = onPostgres.within(client).accounts.create({ name: 'Unwritten' })
  await expect(call).rejects.toMatchObject({
    code: 'transaction_invalid',
    message: expect.stringContaining('read only'),
  })
  await client.query('rollback')
  client.release()
})

test('numbers are numbers on a connection that answers with bigints', async () => {
  const host = new Sqlite(toFile(urls.sqlite))
  host.defaultSafeIntegers(true)
  host.exec('begin')
  const { users } = onSqlite.within(host)
  const { user } = await users.create(accountIds.sqlite, { ...ada, email: 'big@example.com' })
  expect((await users.find(accountIds.sqlite, user.id)).user.createdAt).toEqual(user.createdAt)
  expect((await users.list(accountIds.sqlite, { q: 'big' })).total).toBe(1)
  host.exec('rollback')
  host.close()
})

test('listeners are called after a commit, even after a rollback and in front of another transaction', async () => {
  const { id } = await onSqlite.accounts.create({ name: 'Hooli' })
  const told: string[] = []
  onSqlite.events.on('user.created', ({ accountId, user }) => {
    if (accountId === id) told.push(user.email)
  })
  const host = new Sqlite(toFile(urls.sqlite))
  const { users } = onSqlite.within(host)
  host.exec('begin')
  await users.create(id, { ...ada, email: 'undone@example.com' })
  host.exec('rollback; begin')
  await users.create(id, { ...ada, email: 'kept@example.com' })
  host.exec('commit; begin')
  await vi.waitFor(() => expect(told).toEqual(['kept@example.com']))
  host.exec('rollback')
  host.close()
})

test('after close() every call is refused', async () => {
  for (const url of [urls.sqlite, urls.postgres]) {
    const clientele = await openClientele(url)
    const host = url === urls.sqlite ? new Sqlite(toFile(url)) : await pool.connect()
    const { accounts } = clientele.within(host)
    await (host instanceof Sqlite ? host.exec('begin') : host.query('begin'))
    await clientele.close()
    expect(await codeOf(accounts.create({ name: 'Late' }))).toBe('storage_unavailable')
    if (host instanceof Sqlite) host.close()
    else host.release(true)
  }
})
