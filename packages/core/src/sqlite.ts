/**
 * Clientele on SQLite, in one file: `import { sqlite } from '@clientele/core/sqlite'`.
 *
 * @module
 */

export { type SqliteOptions, sqlite } from './repository/sqlite.ts'
export type { SqliteConnection, SqliteStatement } from './sql/sqlite/connection.ts'
