import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { VersionedUser } from './stored-user.ts'

/** Activates or deactivates a user. A deactivated one cannot sign in, and its tokens are not valid any more. */
export async function setUserActive(
  services: Services,
  call: Call,
  userId: string,
  isActive: boolean,
): Promise<VersionedUser> {
  const { repository, events, clock } = services
  const changed = await repository.users.setActive(call.accountId, userId, isActive, clock())
  if (changed === undefined) throw new ClienteleError('user_not_found')
  events.emit(isActive ? 'user.activated' : 'user.deactivated', {
    ...originOf(call),
    user: changed.user,
  })
  return changed
}
