import type { RecordedStatement } from '../support/statement-recorder.ts'

/** What the migrations after the first one have made, and the statements that take it back. */
export interface Undoing {
  statements: string[]
  /** The tables with an account, in the order of their creation */
  tenantTables: string[]
  /** The columns and indexes of other tables */
  columns: { table: string; name: string }[]
  indexes: { table: string; name: string }[]
}

const first = '0001-initial'

/**
 * Finds from the statements of `migrate` on an empty PostgreSQL what leaves the tables as the first migration made them:
 * nothing has to be added here for a new migration.
 *
 * @param schema quoted
 */
export function undoLaterMigrations(
  recorded: readonly RecordedStatement[],
  schema: string,
): Undoing {
  // Only on a cluster do the statements name the schema.
  const bare = recorded.map(({ sql, values }) => ({
    sql: sql.replaceAll(`${schema}.`, ''),
    values,
  }))
  const noteOfFirst = bare.findIndex(({ sql, values }) => isNote(sql) && values[0] === first)
  if (noteOfFirst === -1) throw new Error('These statements are not those of all migrations.')
  const later = bare.slice(noteOfFirst + 1).map(({ sql }) => sql)
  const created = new Map<string, string>()
  const undoing: Undoing = { statements: [], tenantTables: [], columns: [], indexes: [] }
  for (const sql of later) {
    const [, action = '', name = ''] =
      /^(create table|alter table|create (?:unique )?index) "(\w+)"/.exec(sql) ?? []
    const table = / on "(\w+)"/.exec(sql)?.[1] ?? name
    if (action === 'create table') created.set(name, sql)
    else if (action === '' || created.has(table)) continue
    else if (action === 'alter table') {
      const column = / add column "(\w+)"/.exec(sql)?.[1]
      if (column === undefined) throw new Error(`How is this undone? ${sql}`)
      undoing.columns.push({ table, name: column })
    } else undoing.indexes.push({ table, name })
  }
  for (const [table, sql] of created)
    if (sql.includes('"account_id"')) undoing.tenantTables.push(table)
  undoing.statements = [
    ...undoing.indexes.map(({ name }) => `drop index if exists ${schema}."${name}"`),
    ...[...created.keys()].reverse().map((table) => `drop table ${schema}."${table}"`),
    ...undoing.columns.map(
      ({ table, name }) => `alter table ${schema}."${table}" drop column "${name}"`,
    ),
    `delete from ${schema}.clientele_migrations where name <> '${first}'`,
  ]
  return undoing
}

function isNote(sql: string): boolean {
  return sql.startsWith('insert into "clientele_migrations"')
}
