import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { UsersServices } from './services.ts'

/**
 * Deletes a user permanently, with their sessions and secrets.
 *
 * @throws ClienteleError `user_not_found`, `precondition_failed`
 */
export async function deleteUser(
  services: UsersServices,
  call: Call,
  userId: string,
  expectedVersion: number | null,
): Promise<void> {
  const { repository, events } = services
  const eventOf = () => newEvent(services, call, 'user.deleted', userId, {})
  const outcome = await repository.users.delete(call.accountId, userId, expectedVersion, eventOf)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  events.emit(outcome.event, outcome.deleted.user)
}
