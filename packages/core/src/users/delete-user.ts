import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
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
  const outcome = await services.repository.users.delete(call.accountId, userId, expectedVersion)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  services.events.emit('user.deleted', { ...originOf(call), user: outcome.user })
}
