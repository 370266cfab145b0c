import type { SqliteConnection } from './connection.ts'

// By the names of columns, so that columns of later versions are included.
const findColumns = `select t.name as tableName, c.name as columnName
  from sqlite_master t join pragma_table_info(t.name) c
  where t.type = 'table' and t.name like 'clientele\\_%' escape '\\'
    and (c.name like '%encrypted%' or (t.name = 'clientele_event_feeds' and c.name = 'chain'))`

/** Whether the database has data that was encrypted or linked under a secret, which a new secret could not read. */
export function needsOldSecret(connection: SqliteConnection): boolean {
  // The columns of that statement.
  const columns = connection.prepare(findColumns).all() as {
    tableName: string
    columnName: string
  }[]
  return columns.some(
    ({ tableName, columnName }) =>
      connection
        .prepare(`select 1 from "${tableName}" where "${columnName}" is not null limit 1`)
        .all().length > 0,
  )
}
