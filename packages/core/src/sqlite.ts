/**
 * Clientele on SQLite, in one file: `import { sqlite } from '@clientele/core/sqlite'`.
 *
 * @module
 */
export type { SqliteConnection, SqliteStatement } from './sql/sqlite/connection.ts'
export { type SqliteOptions, sqlite } from './sql/sqlite/repository.ts'
