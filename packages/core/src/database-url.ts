/**
 * Opens the storage that a `DATABASE_URL` names: `import { openRepository } from '@clientele/core/database-url'`. Beside it
 * stands how long a `CLIENTELE_SECRET` must be.
 *
 * @module
 */
export { minSecretLength } from './base/crypto/min-secret-length.ts'
export * from './repository/open-by-url.ts'
