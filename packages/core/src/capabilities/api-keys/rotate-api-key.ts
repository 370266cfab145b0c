import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import {
  createAccountSecret,
  hashAccountSecret,
  prefixOfSecret,
} from '../../base/crypto/account-secret.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { rotateApiKeySchema } from './api-key.ts'
import { type CreatedApiKey, checkExpiry } from './create-api-key.ts'
import type { ApiKeysServices } from './services.ts'

/**
 * Creates a key with the name and scopes of another, which stays valid for the overlap. The new key's expiry can be
 * given. Otherwise it gets the lifetime of the replaced key, however often that key has been replaced.
 *
 * @throws ClienteleError `api_key_not_found` when the key does not exist, or is revoked or expired
 */
export async function rotateApiKey(
  services: ApiKeysServices,
  call: Call,
  keyId: string,
  { overlapSeconds, expiresAt }: z.output<typeof rotateApiKeySchema>,
): Promise<CreatedApiKey> {
  const { repository, events, newId, clock, environment } = services
  const now = clock()
  checkExpiry(expiresAt ?? null, now)
  const secret = createAccountSecret('cu', environment, call.accountId)
  const newKey = {
    id: newId(),
    prefix: prefixOfSecret(secret),
    hash: hashAccountSecret(secret),
    createdAt: now,
    expiresAt,
  }
  const event = await repository.apiKeys.rotate(
    call.accountId,
    keyId,
    newKey,
    now + overlapSeconds * 1000,
    (rotated) =>
      newEvent(services, call, 'api_key.rotated', newKey.id, { ...rotated, replacedKeyId: keyId }),
  )
  if (event === undefined) throw new ClienteleError('api_key_not_found')
  events.emit(event)
  return { id: newKey.id, apiKey: secret }
}
