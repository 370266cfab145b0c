import type { Call } from '../../base/call/call.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import { askBeforeUpdate } from '../hooks/ask-hooks.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { findUser } from './find-user.ts'
import type { UsersServices } from './services.ts'

/**
 * Activates or deactivates a user; without an effect nothing changes. With an idempotency key it acts once. A
 * deactivated user cannot sign in, and their tokens are no longer valid.
 *
 * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`; `refused_by_hook`,
 *   `hook_unavailable` for an activation
 */
export async function setUserActive(
  services: UsersServices,
  call: Call,
  userId: string,
  isActive: boolean,
): Promise<VersionedUser> {
  const operation = isActive ? 'activateUser' : 'deactivateUser'
  return answerOnce(services, call, { operation, input: { userId } }, (reply) =>
    storeActive(services, call, userId, isActive, reply),
  )
}

async function storeActive(
  services: UsersServices,
  call: Call,
  userId: string,
  isActive: boolean,
  reply?: NewReply,
): Promise<VersionedUser> {
  const { repository, events, clock } = services
  const { accountId } = call
  const mayChange = !isActive || (await mayActivate(services, call, userId))
  const type = isActive ? 'user.activated' : 'user.deactivated'
  const event = newEvent(services, call, type, userId, {})
  const now = clock()
  const changed = mayChange
    ? await repository.users.setActive(accountId, userId, isActive, now, event, reply)
    : undefined
  if (changed === undefined) {
    const answer = await findUser(services, call, userId)
    // A repeat must not act later either.
    if (reply !== undefined) await repository.idempotency.keep(accountId, reply, { userId, answer })
    return answer
  }
  events.emit(event, changed.user)
  return changed
}

/**
 * Asks the hook about a user who is not active. For one who is, nothing is written: a deactivation at the same moment must not
 * be undone without the hook.
 *
 * @throws ClienteleError `user_not_found`, `refused_by_hook`, `hook_unavailable`
 */
async function mayActivate(services: UsersServices, call: Call, userId: string): Promise<boolean> {
  if (!services.hooks.has('beforeUpdate')) return true
  const { user } = await findUser(services, call, userId)
  if (user.isActive) return false
  await askBeforeUpdate(services, call, user, { ...user, isActive: true }, ['isActive'])
  return true
}
