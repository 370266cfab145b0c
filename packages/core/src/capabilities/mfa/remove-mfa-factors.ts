import type { Call } from '../../base/call/call.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { MfaServices } from './services.ts'

/**
 * Removes every second factor of a user, with the recovery codes and open challenges.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function removeMfaFactors(
  services: MfaServices,
  call: Call,
  userId: string,
): Promise<void> {
  const { user } = await findUser(services, call, userId)
  const { repository, events } = services
  const event = newEvent(services, call, 'two_factor.removed', userId, {}, { user })
  if (await repository.mfa.remove(call.accountId, userId, event)) events.emit(event)
}
