import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { ApiKeysServices } from './services.ts'

/**
 * Revokes a key, then ends the impersonations that it opened. A repeat ends those that a crash in between has left.
 *
 * @throws ClienteleError `api_key_not_found`
 */
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
  await endImpersonations(services, call, keyId)
}

async function endImpersonations(
  services: ApiKeysServices,
  call: Call,
  keyId: string,
): Promise<void> {
  const { apiKeys } = services.repository
  for (;;) {
    const userId = await apiKeys.findImpersonated(call.accountId, keyId)
    if (userId === undefined) return
    const ended = await apiKeys.endImpersonations(call.accountId, keyId, userId, (sessionIds) =>
      newEvent(services, call, 'session.revoked', userId, { sessionIds }),
    )
    if (ended !== undefined) services.events.emit(ended)
  }
}
