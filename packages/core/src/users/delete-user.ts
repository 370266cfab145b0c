import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { Services } from '../services.ts'

/**
 * Deletes a user for good, with its sessions and secrets.
 *
 * @throws ClienteleError `user_not_found`, `precondition_failed`
 */
export async function deleteUser(
  services: Services,
  call: Call,
  userId: string,
  expectedVersion: number | null,
): Promise<void> {
  const { repository, events } = services
  const event = newEvent(services, call, 'user.deleted', userId, {})
  const outcome = await repository.users.delete(call.accountId, userId, expectedVersion, event)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  events.emit(event, outcome.user)
}
