/**
 * Clientele on SQLite, in one file: `import { sqlite } from '@clientele/core/sqlite'`.
 *
 * @module
 */
export { type SqliteOptions, sqlite } from './database/sqlite-repository.ts'
