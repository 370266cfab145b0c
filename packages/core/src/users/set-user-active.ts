import type { Call } from '../call.ts'
import { newEvent } from '../events/new-event.ts'
import type { Services } from '../services.ts'
import { findUser } from './find-user.ts'
import type { VersionedUser } from './stored-user.ts'

/**
 * Activates or deactivates a user; one that is so already stays as it is. A deactivated one cannot sign in, and its tokens
 * are not valid any more.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function setUserActive(
  services: Services,
  call: Call,
  userId: string,
  isActive: boolean,
): Promise<VersionedUser> {
  const { repository, events, clock } = services
  const { accountId } = call
  const event = newEvent(
    services,
    call,
    isActive ? 'user.activated' : 'user.deactivated',
    userId,
    {},
  )
  const changed = await repository.users.setActive(accountId, userId, isActive, clock(), event)
  if (changed === undefined) return findUser(services, call, userId)
  events.emit(event, changed.user)
  return changed
}
