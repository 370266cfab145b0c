import { randomBytes } from 'node:crypto'
import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'

const secretBytes = 32

/** Makes a secret of Standard Webhooks: 24 to 64 random bytes in base64. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}

export function encryptWebhookSecret(
  { encryptor }: Pick<WebhooksServices, 'encryptor'>,
  accountId: string,
  webhookId: string,
  secret: string,
): string {
  return encryptor.encrypt(secret, purposeOf(accountId, webhookId))
}

/**
 * The secrets that sign at this time, the newest first.
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
  const isOverlapping = previous !== null && previousExpiresAt !== null && now < previousExpiresAt
  const encrypted = isOverlapping ? [encryptedSecret, previous] : [encryptedSecret]
  return encrypted.map((secret) => encryptor.decrypt(secret, purposeOf(accountId, id)))
}

/** Encrypts every secret again that is under an old one. @throws ClienteleError `secret_wrong` */
export async function reencryptWebhookSecrets({
  repository,
  encryptor,
}: Pick<WebhooksServices, 'repository' | 'encryptor'>): Promise<void> {
  const { webhooks } = repository
  for (const { accountId, id, ...secrets } of await webhooks.listEncryptedSecrets()) {
    const reencrypt = (text: string): string => {
      const purpose = purposeOf(accountId, id)
      return encryptor.isStale(text)
        ? encryptor.encrypt(encryptor.decrypt(text, purpose), purpose)
        : text
    }
    const { encryptedSecret, previousEncryptedSecret: previous } = secrets
    const next = {
      encryptedSecret: reencrypt(encryptedSecret),
      previousEncryptedSecret: previous === null ? null : reencrypt(previous),
    }
    const isSame =
      next.encryptedSecret === encryptedSecret && next.previousEncryptedSecret === previous
    if (!isSame) await webhooks.reencryptSecrets(accountId, id, secrets, next)
  }
}

function purposeOf(accountId: string, webhookId: string): string {
  return `webhook ${accountId} ${webhookId}`
}
