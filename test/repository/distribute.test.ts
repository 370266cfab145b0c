import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase, openEmptyDatabase } from '../support/databases.ts'
import { imitateCitus } from '../support/imitate-citus.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { readTableReferences } from '../support/read-statement.ts'
import { runCommand } from '../support/run-command.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded } from '../support/statement-recorder.ts'
import { acrossAccounts, callAcrossAccounts } from './across-accounts.ts'
import { describeRepositoryContract } from './repository-contract.ts'
import { undoLaterMigrations } from './undo-migrations.ts'
import { accountValues, newTenant, newUser, nextId, start } from './world.ts'

const notOfTenants = [
  'clientele_account_names',
  'clientele_console_links',
  'clientele_console_sessions',
  'clientele_migrations',
]

async function expectRefused(repository: Repository, reason: RegExp): Promise<void> {
  const distributing = repository.storage.migrate({ distribute: true })
  await expect(distributing).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: expect.stringMatching(reason),
  })
}

test('SQLite is not distributed, and says so', async () => {
  const database = await openEmptyDatabase('sqlite')
  const repository = repositoryOf(database.url)
  await expectRefused(repository, /SQLite keeps all tables in one file/)
  await repository.storage.close()
  await database.close()
})

describe('PostgreSQL', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmptyDatabase('postgres')
  })
  afterAll(() => database.close())

  test('without the extension names the missing extension, and is not changed', async () => {
    const repository = repositoryOf(database.url)
    await expectRefused(repository, /extension citus is not in this database/)
    expect(await repository.storage.missingMigrations()).toContain('0001-initial')
    await repository.storage.close()
    const { code, errors } = await runCommand(['migrate', '--distribute'], {
      DATABASE_URL: database.url,
    })
    expect(code).toBe(1)
    expect(errors).toMatch(/create extension citus/)
  })

  test('distributes every table of tenants, in a schema that has to be quoted, once', async () => {
    await imitateCitus(database.url)
    const schema = 'Tenant "Users"'
    const repository = postgres({ connectionString: database.url, schema })
    const applied = await repository.storage.migrate({ distribute: true })
    const migrated = applied.filter((name) => !name.startsWith('distribute '))
    expect(migrated[0]).toBe('0001-initial')
    expect(applied.slice(migrated.length, migrated.length + 2)).toEqual([
      'distribute clientele_accounts',
      'distribute clientele_users',
    ])
    const rows = (await runSql(
      database.url,
      `select c.relname as name, p.partkey as key, p.colocated_with as "colocatedWith"
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
         left join pg_catalog.pg_dist_partition p on p.logicalrelid = c.oid
       where n.nspname = '${schema}' and c.relkind = 'r' order by c.relname`,
    )) as { name: string; key: string | null; colocatedWith: string | null }[] // what it selects
    expect(rows.length).toBeGreaterThan(30)
    const local = rows.filter(({ key }) => key === null).map(({ name }) => name)
    expect(local).toEqual(notOfTenants)
    for (const { name, key, colocatedWith } of rows) {
      if (key === null) continue
      const isAccounts = name === 'clientele_accounts'
      expect({ name, key }).toEqual({ name, key: isAccounts ? 'id' : 'account_id' })
      expect(colocatedWith).toBe(isAccounts ? 'none' : '"Tenant ""Users"""."clientele_accounts"')
    }
    expect(await repository.storage.migrate({ distribute: true })).toEqual([])
    expect(await repository.storage.migrate()).toEqual([])
    await repository.storage.close()
  })

  test('completes a distribution', async () => {
    const repository = repositoryOf(database.url)
    await repository.storage.migrate()
    const drop = (table: string) =>
      runSql(
        database.url,
        `delete from pg_catalog.pg_dist_partition where logicalrelid = '${table}'::regclass`,
      )
    await repository.storage.migrate({ distribute: true })
    await drop('public.clientele_events')
    expect(await repository.storage.migrate({ distribute: true })).toEqual([
      'distribute clientele_events',
    ])
    await repository.storage.close()
  })

  test('migrates tables that are distributed, and distributes those that it creates', async () => {
    const { url, close } = await openEmptyDatabase('postgres')
    await imitateCitus(url)
    const recorded = openRecorded(url)
    const { storage } = recorded.repository
    await storage.migrate({ distribute: true })
    const { statements, tenantTables } = undoLaterMigrations(recorded.take(), 'public')
    expect(tenantTables.length).toBeGreaterThan(4)
    await runSql(url, ...statements)
    const missing = await storage.missingMigrations()
    expect(missing.length).toBeGreaterThan(10)
    const applied = await storage.migrate()
    expect(applied.slice(0, missing.length)).toEqual(missing)
    const distributed = tenantTables.map((table) => `distribute ${table}`)
    expect(applied.slice(missing.length).sort()).toEqual(distributed.sort())
    await recorded.close()
    await close()
  })
})

test.each([
  ['08006', 'connection to the remote node postgres@10.0.0.3:5432 failed: Connection refused'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.3:5432'],
  ['XX000', 'server closed the connection unexpectedly'],
])(
  'a server of the cluster that is away is a 503, and costs no connection: %s %s',
  async (errcode, message) => {
    const database = await openDatabase('postgres')
    const pool = new Pool({ connectionString: database.url, max: 1 })
    pool.on('connect', (client) => client.on('error', () => {}))
    const { accounts, storage } = postgres({ pool })
    const findProcess = async () => (await pool.query('select pg_backend_pid() as id')).rows
    const before = await findProcess()
    await pool.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception using errcode = '${errcode}', message = '${message}'; end $$;
    create trigger refuse before insert on clientele_accounts execute function refuse()`)
    const creating = accounts.create(nextId(), accountValues(), start)
    await expect(creating).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await findProcess()).toEqual(before)
    await storage.close()
    await pool.end()
    await database.close()
  },
)

describe('tables that are distributed', () => {
  const statements = new Set<string>()
  let databases: OpenDatabase[] = []

  async function openDistributed() {
    const database = await openDatabase('postgres')
    databases.push(database)
    await imitateCitus(database.url)
    const recorded = openRecorded(database.url)
    await recorded.repository.storage.migrate({ distribute: true })
    return {
      repository: recorded.repository,
      close: async () => {
        for (const { sql } of recorded.take()) {
          // The body of a function is in another language.
          const isStatement = !sql.startsWith('create or replace function ')
          if (isStatement && sql.includes('"clientele_')) statements.add(sql)
        }
        await recorded.close()
      },
    }
  }
  afterAll(async () => {
    for (const database of databases) await database.close()
    databases = []
  })

  describe('the contract of the repository', () => describeRepositoryContract(openDistributed))

  test('queries about all accounts', async () => {
    const { repository, close } = await openDistributed()
    await callAcrossAccounts(repository)
    await close()
  })

  test('a create draws its order, and is one statement, whose parts name all values and read no table', async () => {
    const database = await openDatabase('postgres')
    await imitateCitus(database.url)
    const recorded = openRecorded(database.url)
    const { users, storage } = recorded.repository
    await storage.migrate({ distribute: true })
    const { accountId } = await newTenant(recorded.repository)
    recorded.take()
    // Quoted as literals, whatever they are
    const user = newUser({
      name: 'O\'Brien %1$L \\ "$1" {a,b}',
      roles: ["o'p", '%'],
      passwordHash: null,
    })
    const create = () => users.create(accountId, user, someEvent(accountId))
    expect(await create()).toBe('created')
    const [order, call, ...others] = recorded.take()
    expect(others).toEqual([])
    expect(order?.sql).toMatch(/^\(select nextval/)
    expect(call?.sql).toBe('(select "clientele_write"($1, $2, $3, $4) as changed)')
    const parts = String(call?.values[1]).split('","')
    expect(parts.length).toBeGreaterThan(4)
    // Citus sends rows that it selects itself to the server first: that is two commands.
    for (const part of parts) expect(part).toMatch(/insert into .*values \(/)
    const found = await users.find(accountId, user.id)
    expect(found?.user).toMatchObject({ name: user.name, roles: user.roles })
    expect(await create()).toBe('email_taken')
    const { total } = await users.list(accountId, { page: 1, limit: 10, role: "o'p" })
    expect(total).toBe(1)
    // An account that is just moving to another server is written to by the first statement there, so the others are, too.
    await runSql(database.url, 'update pg_catalog.pg_dist_placement set groupid = 2')
    const moved = newUser({ roles: ["o'p"] })
    expect(await users.create(accountId, moved, someEvent(accountId))).toBe('created')
    const both = await users.list(accountId, { page: 1, limit: 10, role: "o'p" })
    expect(both.total).toBe(2)
    await recorded.close()
    await database.close()
  })

  test('a role that may not use the function writes without it', async () => {
    const database = await openDatabase('postgres')
    await imitateCitus(database.url)
    const owner = repositoryOf(database.url)
    await owner.storage.migrate({ distribute: true })
    await owner.storage.close()
    const role = `reader_${randomUUID().replaceAll('-', '')}`
    const name = new URL(database.url).pathname.slice(1)
    await runSql(
      database.url,
      `create role ${role} login password 'secret'`,
      `grant connect on database "${name}" to ${role}`,
      `grant usage on schema public to ${role}`,
      `grant select, insert, update, delete on all tables in schema public to ${role}`,
    )
    const url = new URL(database.url)
    url.username = role
    url.password = 'secret'
    const recorded = openRecorded(url.href)
    const { users, storage } = recorded.repository
    await storage.missingMigrations()
    const { accountId } = await newTenant(recorded.repository)
    recorded.take()
    expect(await users.create(accountId, newUser(), someEvent(accountId))).toBe('created')
    const sent = recorded.take().map(({ sql }) => sql)
    expect(sent.filter((sql) => sql.includes('clientele_write'))).toEqual([])
    expect(sent.length).toBeGreaterThan(4)
    await recorded.close()
    await runSql(database.url, `drop owned by ${role}`, `drop role ${role}`)
    await database.close()
  })

  test('accounts share no statement that only one place can run', () => {
    expect(statements.size).toBeGreaterThan(200)
    const shared = [...statements].filter((sql) => {
      const isAcross = readTableReferences(sql).some(({ isOfOneAccount }) => !isOfOneAccount)
      return isAcross && acrossAccounts.some((each) => each.isForOnePlace && each.pattern.test(sql))
    })
    expect(shared).toEqual([])
  })

  test('no statement about several accounts locks rows', () => {
    const locking = [...statements].filter(
      (sql) =>
        / for (no key )?(update|share)/.test(sql) &&
        readTableReferences(sql).some(
          ({ table, isOfOneAccount }) => !isOfOneAccount && !notOfTenants.includes(table),
        ),
    )
    expect(locking).toEqual([])
  })
})
