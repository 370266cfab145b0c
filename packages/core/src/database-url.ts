/**
 * Opens the storage of a `DATABASE_URL`: `import { openRepository } from '@clientele/core/database-url'`. It also
 * exports what a `CLIENTELE_SECRET` must be like, what reads a language tag, and what signs a message.
 *
 * @module
 */
export { isSecret, minSecretLength, secretRule } from './base/crypto/is-secret.ts'
export { toLanguageTag } from './base/input/language-tag.ts'
export { signMessage } from './base/outbound/sign-message.ts'
export * from './repository/open-by-url.ts'
