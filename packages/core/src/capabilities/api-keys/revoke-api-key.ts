import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { ApiKeysServices } from './services.ts'

/** @throws ClienteleError `api_key_not_found` */
export async function revokeApiKey(
  services: ApiKeysServices,
  call: Call,
  keyId: string,
): Promise<void> {
  const { repository, events, clock } = services
  const event = newEvent(services, call, 'api_key.revoked', keyId, {})
  const outcome = await repository.apiKeys.revoke(call.accountId, keyId, clock(), event)
  if (outcome === 'api_key_not_found') throw new ClienteleError('api_key_not_found')
  if (outcome === 'revoked') events.emit(event)
}
