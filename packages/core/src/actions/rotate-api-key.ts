import type { z } from 'zod'
import type { rotateApiKeySchema } from '../domain/api-key.ts'
import { ClienteleError } from '../errors.ts'
import {
  createApiKeySecret,
  hashApiKeySecret,
  hintOfApiKeySecret,
} from '../security/api-key-secret.ts'
import { type CreatedApiKey, checkExpiry } from './create-api-key.ts'
import type { Services } from './services.ts'

/**
 * Makes a key with the name and scopes of another, which goes on working for the overlap. The new key's expiry is given
 * anew; without one, a key that would have expired makes one that lives as long.
 *
 * @throws ClienteleError `api_key_not_found` when there is none, or it is revoked or expired
 */
export async function rotateApiKey(
  services: Services,
  accountId: string,
  keyId: string,
  { overlapSeconds, expires_at }: z.output<typeof rotateApiKeySchema>,
): Promise<CreatedApiKey> {
  const { repository, events, newId, clock, environment } = services
  const now = clock()
  const old = (await repository.listApiKeys(accountId)).find((key) => key.id === keyId)
  if (old === undefined) throw new ClienteleError('api_key_not_found')
  const inherited =
    old.expires_at === null ? null : now + Date.parse(old.expires_at) - Date.parse(old.created_at)
  const expiresAt = expires_at ? Date.parse(expires_at) : expires_at === null ? null : inherited
  checkExpiry(expiresAt, now)
  const secret = createApiKeySecret(environment)
  const newKey = {
    id: newId(),
    hint: hintOfApiKeySecret(secret),
    hash: hashApiKeySecret(secret),
    createdAt: now,
    expiresAt,
  }
  const oldExpiresAt = now + overlapSeconds * 1000
  const rotated = await repository.rotateApiKey(accountId, keyId, newKey, oldExpiresAt)
  if (rotated === undefined) throw new ClienteleError('api_key_not_found')
  events.emit('api_key.rotated', {
    accountId,
    apiKeyId: newKey.id,
    ...rotated,
    replacedKeyId: keyId,
    replacedKeyExpiresAt: new Date(
      Math.min(oldExpiresAt, Date.parse(old.expires_at ?? '') || oldExpiresAt),
    ).toISOString(),
  })
  return { id: newKey.id, api_key: secret }
}
