/**
 * Opens the storage that a `DATABASE_URL` names: `import { openRepository } from '@clientele/core/database-url'`.
 *
 * @module
 */
export * from './repository/open-by-url.ts'
