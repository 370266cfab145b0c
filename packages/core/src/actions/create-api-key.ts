import type { z } from 'zod'
import type { newApiKeySchema } from '../domain/api-key.ts'
import { ClienteleError } from '../errors.ts'
import {
  createApiKeySecret,
  hashApiKeySecret,
  hintOfApiKeySecret,
} from '../security/api-key-secret.ts'
import type { Services } from './services.ts'

export interface CreatedApiKey {
  id: string
  /** The secret. It is not stored: this is the only time that it can be read. */
  api_key: string
}

/** @throws ClienteleError `account_not_found` */
export async function createApiKey(
  services: Services,
  accountId: string,
  input: z.output<typeof newApiKeySchema>,
): Promise<CreatedApiKey> {
  const { repository, events, newId, clock, environment } = services
  const secret = createApiKeySecret(environment)
  const id = newId()
  const outcome = await repository.createApiKey(accountId, {
    id,
    name: input.name,
    scopes: input.scopes,
    hint: hintOfApiKeySecret(secret),
    hash: hashApiKeySecret(secret),
    createdAt: clock(),
    expiresAt: input.expires_at === null ? null : Date.parse(input.expires_at),
  })
  if (outcome === 'account_not_found') throw new ClienteleError('account_not_found')
  events.emit('api_key.created', {
    accountId,
    apiKeyId: id,
    name: input.name,
    scopes: input.scopes,
  })
  return { id, api_key: secret }
}
