import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ColumnKind } from '../../packages/core/src/sql/dialect-features.ts'
import type { Column, Table } from '../../packages/core/src/sql/tables/column.ts'
import { tables } from '../../packages/core/src/sql/tables/tables.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const described = Object.entries<Table>(tables).flatMap(([table, { columns }]) =>
  Object.entries<Column>(columns).map(([column, { kind, isNullable }]) => ({
    column: `${table}.${column}`,
    name: column,
    kind,
    isNullable,
  })),
)

/** The columns with their types; a key's are not null on SQLite, whether or not it says so. */
const columns: Record<TestDatabase['name'], string> = {
  sqlite: `
    select m.name || '.' || c.name as "column", lower(c.type) as "type",
      case when c."notnull" = 0 and c.pk = 0 then 1 else 0 end as "isNullable"
    from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name like 'clientele_%'`,
  postgres: `
    select table_name || '.' || column_name as "column",
      data_type || coalesce(' ' || collation_name, '') as "type",
      case when is_nullable = 'YES' then 1 else 0 end as "isNullable"
    from information_schema.columns where table_name like 'clientele_%'`,
}

const types: Record<TestDatabase['name'], Record<ColumnKind, string>> = {
  sqlite: {
    id: 'text',
    text: 'text',
    sortedText: 'text',
    json: 'text',
    flag: 'integer',
    time: 'integer',
    counter: 'integer',
  },
  postgres: {
    id: 'uuid',
    text: 'text',
    sortedText: 'text C',
    json: 'json',
    flag: 'boolean',
    time: 'bigint',
    counter: 'bigint',
  },
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

test('a column name has the same kind in every table: rows are normalised by it', () => {
  const sortOf = (kind: ColumnKind) =>
    kind === 'flag' ? kind : ['time', 'counter'].includes(kind) ? 'number' : 'text'
  const sorts = new Map<string, Set<string>>()
  for (const { name, kind } of described)
    sorts.set(name, (sorts.get(name) ?? new Set()).add(sortOf(kind)))
  expect([...sorts].filter(([, of]) => of.size > 1)).toEqual([])
})

test('a table declares its row key if rows are deleted or replaced by it', () => {
  const nameless = Object.entries<Table>(tables).filter(
    ([, { key = '', columns, expires, endsWithPassword, encryptedUnder }]) =>
      columns[key] === undefined &&
      ([expires, endsWithPassword, encryptedUnder].some(Boolean) ||
        Object.values<Column>(columns).some(({ encrypts }) => encrypts !== undefined)),
  )
  expect(nameless).toEqual([])
})

describe.each(databases)('the descriptions of tables on $name', ({ name, open }) => {
  let database: OpenDatabase

  beforeAll(async () => {
    database = await open()
    const repository = openRepository(database.url)
    await repository.storage.migrate()
    await repository.storage.close()
  })
  afterAll(() => database.close())

  test('cover every column of every table, and no other, with its type', async () => {
    const rows = (await runSql(database.url, columns[name])) as {
      column: string
      type: string
      isNullable: number
    }[] // what it selects
    const real = rows
      .filter(({ column }) => !ofOneDatabase.has(column))
      .map(({ column, type, isNullable }) => ({ column, type, isNullable: Number(isNullable) }))
    const known = described.map(({ column, kind, isNullable }) => ({
      column,
      type: types[name][kind],
      isNullable: Number(isNullable),
    }))
    expect(known.length).toBeGreaterThan(100)
    const byColumn = (one: { column: string }, other: { column: string }) =>
      one.column < other.column ? -1 : 1
    expect(real.sort(byColumn)).toEqual(known.sort(byColumn))
  })

  test('name exactly the tables whose foreign key deletes their rows with the user', async () => {
    const rows = (await runSql(database.url, cascades[name])) as { table: string }[] // what it selects
    const known = Object.entries<Table>(tables).flatMap(([table, { erasure }]) =>
      erasure === 'with the user' ? [table] : [],
    )
    expect(known.length).toBeGreaterThan(5)
    expect(rows.map(({ table }) => table).sort()).toEqual(known.sort())
  })
})
