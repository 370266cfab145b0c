import { randomBytes } from 'node:crypto'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import { latestEnd } from '../../base/runtime/latest-end.ts'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'

/** How long a rotated secret signs in addition to its successor, in milliseconds */
export const secretOverlapMs = 24 * 3_600_000

const secretBytes = 32

/** Creates a secret of Standard Webhooks: 24 to 64 random bytes in base64. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}

export function encryptWebhookSecret(
  { encryptor }: Pick<WebhooksServices, 'encryptor'>,
  accountId: string,
  webhookId: string,
  secret: string,
): string {
  return encryptor.encrypt(secret, purposeOf('webhook', accountId, webhookId))
}

/**
 * The secrets that sign at this time, newest first.
 *
 * @throws ClienteleError `secret_wrong`
 */
export function readWebhookSecrets(
  { encryptor }: Pick<WebhooksServices, 'encryptor'>,
  accountId: string,
  webhook: WebhookRecord,
  now: number,
): string[] {
  const { id, encryptedSecret, previousEncryptedSecret: previous, previousExpiresAt } = webhook
  const isOverlapping =
    previous !== null &&
    previousExpiresAt !== null &&
    now < previousExpiresAt &&
    previousExpiresAt <= latestEnd(now, secretOverlapMs)
  const encrypted = isOverlapping ? [encryptedSecret, previous] : [encryptedSecret]
  return encrypted.map((secret) => encryptor.decrypt(secret, purposeOf('webhook', accountId, id)))
}
