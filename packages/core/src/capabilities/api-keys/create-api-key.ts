import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import {
  createAccountSecret,
  hashAccountSecret,
  prefixOfSecret,
} from '../../base/crypto/account-secret.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { newApiKeySchema } from './api-key.ts'
import type { ApiKeysServices } from './services.ts'
import type { ApiKeyRecord } from './store.ts'

export interface CreatedApiKey {
  id: string
  /** The secret. It is not stored: it is shown only this time. */
  apiKey: string
}

/** @throws ClienteleError `account_not_found` */
export async function createApiKey(
  services: ApiKeysServices,
  call: Call,
  input: z.output<typeof newApiKeySchema>,
): Promise<CreatedApiKey> {
  const { record, created } = makeApiKey(services, call.accountId, input)
  const { name, scopes } = input
  const event = newEvent(services, call, 'api_key.created', record.id, { name, scopes })
  const outcome = await services.repository.apiKeys.create(call.accountId, record, event)
  if (outcome === 'account_not_found') throw new ClienteleError('account_not_found')
  services.events.emit(event)
  return created
}

/** Makes a key before it is stored: the row to store, and the secret to show once. */
export function makeApiKey(
  { newId, clock, environment }: ApiKeysServices,
  accountId: string,
  input: z.output<typeof newApiKeySchema>,
): { record: ApiKeyRecord; created: CreatedApiKey } {
  const { expiresAt } = input
  checkExpiry(expiresAt, clock())
  const secret = createAccountSecret('cu', environment, accountId)
  const id = newId()
  const record = {
    id,
    name: input.name,
    scopes: input.scopes,
    prefix: prefixOfSecret(secret),
    hash: hashAccountSecret(secret),
    createdAt: clock(),
    expiresAt,
  }
  return { record, created: { id, apiKey: secret } }
}

/** @throws ClienteleError `validation_failed` when the expiry is in the past */
export function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt === null || expiresAt > now) return
  throw invalidInput([
    { pointer: '/expiresAt', code: 'too_small', message: 'must be in the future' },
  ])
}
