/**
 * Opens the storage of a `DATABASE_URL`: `import { openRepository } from '@clientele/core/database-url'`. It also
 * exports the minimum length of a `CLIENTELE_SECRET`.
 *
 * @module
 */
export { minSecretLength } from './base/crypto/min-secret-length.ts'
export * from './repository/open-by-url.ts'
