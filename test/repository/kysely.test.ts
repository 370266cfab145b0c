import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clientele, createClientele, type Logger, type Repository } from '@clientele/core'
import { kysely } from '@clientele/core/kysely'
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PostgresDialect, sql } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { Pool } from 'pg'
import connect from 'postgres'
import { afterEach, describe, expect, test } from 'vitest'
import { type Answer, ask } from '../support/ask.ts'
import { openEmptyDatabase } from '../support/databases.ts'
import { openLibsqlKysely, openNodeSqliteKysely, openPgKysely } from '../support/kysely-dialects.ts'
import { describeLeftOutTargets, kyselyTargets } from '../support/kysely-targets.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }
const secrets = ['a secret of at least thirty-two characters']
const hashing = { memoryKiB: 64, passes: 1 }

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

interface House {
  clientele: Clientele
  accountId: string
  userUrl: string
  ask(method: string, url: string, body?: object): Promise<Answer>
}

async function openHouse(repository: Repository): Promise<House> {
  const clientele = await createClientele({
    repository,
    secrets,
    logger: quiet,
    passwords: { hashing },
  })
  endings.push(() => clientele.close())
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id)
  const { user } = await clientele.users.create(account.id, person('ada'))
  return {
    clientele,
    accountId: account.id,
    userUrl: `/client/user/${user.id}`,
    ask: (method, url, body) => ask(clientele, apiKey, method, url, body),
  }
}

function person(name: string) {
  const metadata = { plan: { '2': 'b', '1': ['a'] }, born: '2026-01-01T00:00:00.000Z', is: true }
  return { name, email: `${name}@example.com`, password: 'correct horse', roles: ['1'], metadata }
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.code]).toEqual([503, 'storage_unavailable'])
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
  expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|destroy|closed|open|SQLITE/i)
}

describe.each(kyselyTargets)('$name', ({ dialect, open }) => {
  test('plugins of the instance do not reach our statements', async () => {
    const { db, close } = await open()
    endings.push(close)
    const plugged = db.withPlugin(new CamelCasePlugin()).withPlugin(new ParseJSONResultsPlugin())
    const house = await openHouse(kysely(plugged, { dialect }))
    const { body } = await house.ask('GET', house.userUrl)
    const { name, email, roles, metadata } = person('ada')
    expect(body).toMatchObject({ name, email, roles, metadata, is_active: true })
  })

  test('closing does not close the instance of the host', async () => {
    const { db, close } = await open()
    endings.push(close)
    const repository = kysely(db, { dialect })
    const clientele = await createClientele({ repository, secrets, logger: quiet })
    await clientele.close()
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
    expect(rows).toEqual([{ one: 1 }])
  })

  test('after the host has destroyed it, callers get storage_unavailable', async () => {
    const { db, open: openRepository, close } = await open()
    const house = await openHouse(openRepository())
    await db.destroy()
    expectUnavailable(await house.ask('GET', house.userUrl))
    expectUnavailable(await house.ask('PUT', house.userUrl, person('ada')))
    await expect(house.clientele.ping()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await close()
  })

  test('a failure in a transaction rolls it back, and the original error is thrown', async () => {
    const { open: openRepository, close } = await open()
    endings.push(close)
    const house = await openHouse(openRepository())
    const before = await house.ask('GET', '/client/event')
    expect(await house.ask('POST', '/client/user', person('ada'))).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
    expect((await house.ask('GET', '/client/event')).body.data).toEqual(before.body.data)
    expect((await house.ask('GET', '/client/user')).body.total).toBe(1)
  })

  test('simultaneous calls write one after the other, with exact totals', async () => {
    const { open: openRepository, close } = await open()
    endings.push(close)
    const house = await openHouse(openRepository())
    const names = Array.from({ length: 25 }, (_, index) => `user${index}`)
    const answers = await Promise.all(
      names.flatMap((name) => [
        house.ask('POST', '/client/user', person(name)),
        house.ask('GET', '/client/user'),
      ]),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]))
    expect((await house.ask('GET', '/client/user')).body.total).toBe(26)
  })
})

describeLeftOutTargets()

/** Another connection of the same library: two libraries in one process do not see each other's locks. */
async function holdLock(db: Kysely<unknown>): Promise<{ release(): Promise<void> }> {
  endings.push(() => db.destroy())
  const transaction = await db.startTransaction().execute()
  await sql`delete from clientele_migrations where name is null`.execute(transaction)
  return { release: () => transaction.rollback().execute() }
}

describe.each([
  { name: 'node:sqlite', connect: openNodeSqliteKysely },
  { name: 'libSQL', connect: openLibsqlKysely },
])('SQLite through $name', ({ name, connect }) => {
  test('a write that another process blocks gets 503 after the limit, and reads continue', async () => {
    const database = await openEmptyDatabase('sqlite')
    endings.push(database.close)
    const file = database.url.slice('sqlite:'.length)
    const db = connect(file)
    endings.push(() => db.destroy())
    const house = await openHouse(kysely(db, { dialect: 'sqlite', lockTimeoutSeconds: 0.1 }))
    const other = await holdLock(connect(file))
    expectUnavailable(await house.ask('PUT', house.userUrl, person('ada')))
    expectUnavailable(await house.ask('DELETE', house.userUrl))
    expect((await house.ask('GET', house.userUrl)).status).toBe(200)
    await other.release()
  })

  // A connection of libSQL (0.5.29) that has found the file locked can't commit from then on: it keeps the statement.
  test.skipIf(name === 'libSQL')(
    'a write that waits goes on as soon as it can (skipped on libSQL: it keeps the statement)',
    async () => {
      const database = await openEmptyDatabase('sqlite')
      endings.push(database.close)
      const file = database.url.slice('sqlite:'.length)
      const db = connect(file)
      endings.push(() => db.destroy())
      const house = await openHouse(kysely(db, { dialect: 'sqlite' }))
      const other = await holdLock(connect(file))
      const waiting = house.ask('DELETE', house.userUrl)
      await sleep(50)
      await other.release()
      expect((await waiting).status).toBe(204)
    },
  )

  test('a file that is not a database is reported by name', async () => {
    const database = await openEmptyDatabase('sqlite')
    endings.push(database.close)
    const file = database.url.slice('sqlite:'.length)
    writeFileSync(file, 'not a database at all, and long enough to be read as one'.repeat(40))
    await expect(async () => {
      const db = connect(file)
      endings.push(() => db.destroy())
      await createClientele({
        repository: kysely(db, { dialect: 'sqlite' }),
        secrets,
        logger: quiet,
      })
    }).rejects.toMatchObject({ code: 'configuration_invalid' })
  })

  test('is refused without foreign keys', async () => {
    const db = connect(':memory:')
    endings.push(() => db.destroy())
    await sql`pragma foreign_keys = off`.execute(db)
    const repository = kysely(db, { dialect: 'sqlite' })
    await expect(createClientele({ repository, secrets, logger: quiet })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('pragma foreign_keys = on'),
    })
  })
})

describe('PostgreSQL', () => {
  test('numbers are numbers, however the host parses int8', async () => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const getTypeParser = () => (text: string) => (/^\d+$/.test(text) ? BigInt(text) : text)
    const types = { getTypeParser: getTypeParser as never } // for every type
    const pool = new Pool({ connectionString: database.url, types })
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
    endings.push(() => db.destroy())
    const { clientele, accountId } = await openHouse(kysely(db, { dialect: 'postgres' }))
    const { data, total } = await clientele.users.list(accountId, {})
    expect(total).toBe(1)
    expect(data[0]?.createdAt.getTime()).toBeGreaterThan(Date.parse('2026-01-01'))
  })

  test.each([
    ['a text', (text: string) => text],
    ['an object', (text: string) => ({ toString: () => text, toJSON: () => text })],
  ])('numbers and flags have our types if the host parses them as %s', async (_, parse) => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const numbers = [20, 21, 23, 1700]
    const types = {
      getTypeParser: (oid: number) => (numbers.includes(oid) ? parse : (text: string) => text),
    }
    const pool = new Pool({ connectionString: database.url, types: types as never })
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
    endings.push(() => db.destroy())
    const { clientele, accountId } = await openHouse(kysely(db, { dialect: 'postgres' }))
    const { user } = await clientele.users.create(accountId, { ...person('eve'), isActive: false })
    expect(user.isActive).toBe(false)
    const { data, total } = await clientele.users.list(accountId, { page: 1, limit: 5 })
    expect(total).toBe(2)
    expect(data.map(({ isActive }) => isActive).sort()).toEqual([false, true])
    expect(data[0]?.createdAt.getTime()).toBeGreaterThan(Date.parse('2026-01-01'))
    const login = clientele.auth.logIn(accountId, { email: user.email, password: 'correct horse' })
    await expect(login).rejects.toMatchObject({ code: 'credentials_invalid' })
  })

  test('the tables are in the named schema', async () => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const db = openPgKysely(database.url)
    endings.push(() => db.destroy())
    await openHouse(kysely(db, { dialect: 'postgres', schema: 'Client "users"' }))
    const { rows } = await sql`
      select distinct table_schema from information_schema.tables where table_name like 'clientele%'
    `.execute(db)
    expect(rows).toEqual([{ table_schema: 'Client "users"' }])
  })

  test('postgres.js that encodes JSON twice is refused before any write', async () => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const postgres = connect(database.url)
    endings.push(() => postgres.end({ timeout: 0 }))
    const db = new Kysely<unknown>({ dialect: new PostgresJSDialect({ postgres }) })
    const repository = kysely(db, { dialect: 'postgres' })
    await expect(createClientele({ repository, secrets, logger: quiet })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('guides/kysely.md'),
    })
    expect(
      (await sql`select 1 from pg_tables where tablename like 'clientele%'`.execute(db)).rows,
    ).toEqual([])
  })

  test('connections that the server ends cause at most one 503, and a missing server always does', async () => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const db = openPgKysely(database.url, { max: 1 })
    endings.push(() => db.destroy())
    const house = await openHouse(kysely(db, { dialect: 'postgres' }))
    const waiting = sql`select pg_sleep(60)`.execute(db).catch(() => {})
    const cut = house.ask('PUT', house.userUrl, person('ada'))
    const other = openPgKysely(database.url)
    endings.push(() => other.destroy())
    await expect
      .poll(async () => {
        const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(other)
        return rows.length
      })
      .toBeGreaterThan(0)
    await waiting
    expect([200, 503]).toContain((await cut).status)
    expect((await house.ask('GET', house.userUrl)).status).toBe(200)

    const nobody = openPgKysely('postgres://nobody@127.0.0.1:1/none')
    endings.push(() => nobody.destroy())
    const repository = kysely(nobody, { dialect: 'postgres' })
    await expect(repository.storage.migrate()).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
  })
})

describe('the dialect of the other database is refused by name', () => {
  test('dialect sqlite on PostgreSQL', async () => {
    const database = await openEmptyDatabase('postgres')
    endings.push(database.close)
    const db = openPgKysely(database.url)
    endings.push(() => db.destroy())
    const repository = kysely(db, { dialect: 'sqlite' })
    await expect(createClientele({ repository, secrets, logger: quiet })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining("dialect: 'postgres'"),
    })
  })

  test.each([openNodeSqliteKysely, openLibsqlKysely])('dialect postgres on %o', async (connect) => {
    const db = connect(':memory:')
    endings.push(() => db.destroy())
    const repository = kysely(db, { dialect: 'postgres' })
    await expect(createClientele({ repository, secrets, logger: quiet })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining("dialect: 'sqlite'"),
    })
  })
})

describe('an argument that is not an instance is refused by name', () => {
  const open = kysely as (...given: unknown[]) => unknown // as a program without types calls it

  test('no Kysely at all', () => {
    for (const db of [undefined, {}, new Pool()]) {
      expect(() => open(db, { dialect: 'postgres' })).toThrow(
        expect.objectContaining({
          code: 'configuration_invalid',
          message: expect.stringContaining('an instance of Kysely'),
        }),
      )
    }
  })

  test('a transaction', async () => {
    const db = openNodeSqliteKysely(':memory:')
    endings.push(() => db.destroy())
    const opening = db.transaction().execute(async (trx) => open(trx, { dialect: 'sqlite' }))
    await expect(opening).rejects.toThrow('within()')
  })

  test.each([[undefined], [{}], [{ dialect: 'mysql' }], [{ dialect: 'sqlite', schema: 'users' }]])(
    'options %o',
    (options) => {
      const db = openNodeSqliteKysely(':memory:')
      endings.push(() => db.destroy())
      expect(() => open(db, options)).toThrow(
        expect.objectContaining({ code: 'configuration_invalid' }),
      )
    },
  )
})
