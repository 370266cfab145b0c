import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { ApiKeysServices } from './services.ts'
import type { EndedOf } from './store.ts'

/**
 * Revokes a key, and ends the impersonations that it opened in the same transaction. Where it opened many, the rest ends
 * after it; a repeat ends those that a crash in between has left.
 *
 * @throws ClienteleError `api_key_not_found`
 */
export async function revokeApiKey(
  services: ApiKeysServices,
  call: Call,
  keyId: string,
): Promise<void> {
  const { repository, events, clock } = services
  const { accountId } = call
  const event = newEvent(services, call, 'api_key.revoked', keyId, {})
  const endedOf: EndedOf = (userId, sessionIds) =>
    newEvent(services, call, 'session.revoked', userId, { sessionIds })
  const done = await repository.apiKeys.revoke(accountId, keyId, clock(), event, endedOf)
  if (done === 'api_key_not_found') throw new ClienteleError('api_key_not_found')
  if (done.outcome === 'revoked') events.emit(event)
  let { ended } = done
  while (ended.length > 0) {
    for (const each of ended) events.emit(each)
    ended = await repository.apiKeys.endImpersonations(accountId, keyId, endedOf)
  }
}
