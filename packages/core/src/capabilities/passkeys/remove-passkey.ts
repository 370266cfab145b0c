import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { PasskeysServices } from './services.ts'

/**
 * Removes a passkey from a user. The sessions that it has opened stay. With the last second factor the recovery codes end.
 *
 * @throws ClienteleError `user_not_found`, `passkey_not_found`
 */
export async function removePasskey(
  services: PasskeysServices,
  call: Call,
  userId: string,
  passkeyId: string,
): Promise<void> {
  const { repository, events } = services
  const { user } = await findUser(services, call, userId)
  const event = newEvent(services, call, 'passkey.removed', userId, { passkeyId }, { user })
  if (!(await repository.passkeys.remove(call.accountId, userId, passkeyId, event))) {
    throw new ClienteleError('passkey_not_found')
  }
  events.emit(event)
}
