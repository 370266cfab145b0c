import type { Database } from 'better-sqlite3'

/** The steps that SQLite plans for a statement, whatever its values are */
export function planOf(connection: Database, sql: string): string[] {
  const values = new Array((sql.match(/\?/g) ?? []).length).fill(null)
  return connection
    .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
    .all(...values)
    .map(({ detail }) => detail)
}
