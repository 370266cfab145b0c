/**
 * Opens the storage of a `DATABASE_URL`: `import { openRepository } from '@clientele/core/database-url'`. It also
 * exports the minimum length of a `CLIENTELE_SECRET`, what reads a language tag, and what signs a message.
 *
 * @module
 */
export { minSecretLength } from './base/crypto/min-secret-length.ts'
export { toLanguageTag } from './base/input/language-tag.ts'
export { signMessage } from './base/outbound/sign-message.ts'
export * from './repository/open-by-url.ts'
