import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personalDataRegister } from '../../packages/core/src/capabilities/personal-data/sql/register.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const columns: Record<TestDatabase['name'], string> = {
  sqlite: `
    select m.name as "table", c.name as "column"
    from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name like 'clientele_%'`,
  postgres: `
    select table_name as "table", column_name as "column"
    from information_schema.columns where table_name like 'clientele_%'`,
}

/** The tables whose rows go with a user's row */
const cascades: Record<TestDatabase['name'], string> = {
  sqlite: `
    select distinct m.name as "table" from sqlite_master m, pragma_foreign_key_list(m.name) k
    where m.type = 'table' and k."table" = 'clientele_users' and k.on_delete = 'CASCADE'`,
  postgres: `
    select t.relname as "table" from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.contype = 'f' and c.confrelid = 'clientele_users'::regclass and c.confdeltype = 'c'`,
}

/** What only one database has: the order in which events were written, a number. */
const ofOneDatabase = new Set(['clientele_events.seq'])

describe.each(databases)('the register of personal data on $name', ({ name, open }) => {
  let database: OpenDatabase

  beforeAll(async () => {
    database = await open()
    const repository = openRepository(database.url)
    await repository.storage.migrate()
    await repository.storage.close()
  })
  afterAll(() => database.close())

  test('knows every column of every table, and no other', async () => {
    const rows = (await runSql(database.url, columns[name])) as { table: string; column: string }[] // what it selects
    const real = rows.map(({ table, column }) => `${table}.${column}`)
    const known = Object.entries(personalDataRegister).flatMap(([table, rule]) =>
      Object.keys(rule.columns).map((column) => `${table}.${column}`),
    )
    expect(known.length).toBeGreaterThan(100)
    expect(real.filter((column) => !ofOneDatabase.has(column)).sort()).toEqual(known.sort())
  })

  test('says of those tables that they go with the user whose foreign key says so', async () => {
    const rows = (await runSql(database.url, cascades[name])) as { table: string }[] // what it selects
    const known = Object.entries(personalDataRegister).flatMap(([table, { erasure }]) =>
      erasure === 'with the user' ? [table] : [],
    )
    expect(known.length).toBeGreaterThan(5)
    expect(rows.map(({ table }) => table).sort()).toEqual(known.sort())
  })
})
