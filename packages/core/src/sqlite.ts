/**
 * Clientele on SQLite, in one file: `import { sqlite } from '@clientele/core/sqlite'`.
 *
 * @module
 */
export type { SqliteConnection, SqliteStatement } from './database/sqlite-connection.ts'
export { type SqliteOptions, sqlite } from './database/sqlite-repository.ts'
