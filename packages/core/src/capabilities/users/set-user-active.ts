import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { changeInTurn } from '../../base/runtime/change-in-turn.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import { type NewEvent, newEvent } from '../events/new-event.ts'
import { askBeforeUpdate } from '../hooks/ask-hooks.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { findUser } from './find-user.ts'
import type { UsersServices } from './services.ts'

/**
 * Activates or deactivates a user; without an effect nothing changes. With an idempotency key it acts once. A
 * deactivated user cannot sign in, and their tokens are no longer valid.
 *
 * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`; `overloaded`,
 *   `refused_by_hook`, `hook_unavailable` for an activation
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
  const { repository, events } = services
  const { accountId } = call
  const type = isActive ? 'user.activated' : 'user.deactivated'
  const event = newEvent(services, call, type, userId, {})
  const changed = await (isActive
    ? activate(services, call, userId, event, reply)
    : repository.users.setActive(accountId, userId, false, services.clock(), event, reply))
  if (changed === undefined) {
    const answer = await findUser(services, call, userId)
    // A repeat must not act later either.
    const isThere =
      reply === undefined ||
      (await repository.idempotency.keepAbout(accountId, userId, reply, answer))
    if (!isThere) throw new ClienteleError('user_not_found')
    return answer
  }
  events.emit(event, changed.user)
  return changed
}

/**
 * Activates a user in the state that the hook was asked about: a change at the same moment, which the hook saw of a user who was
 * not active, has it asked again. For one who is active nothing is written: a deactivation at the same moment must not be undone
 * without the hook.
 *
 * @throws ClienteleError `user_not_found`, `overloaded`; `refused_by_hook`, `hook_unavailable`
 */
async function activate(
  services: UsersServices,
  call: Call,
  userId: string,
  event: NewEvent<'user.activated' | 'user.deactivated'>,
  reply: NewReply | undefined,
): Promise<VersionedUser | undefined> {
  const { accountId } = call
  const write = (version: number | null) =>
    services.repository.users.setActive(
      accountId,
      userId,
      true,
      services.clock(),
      event,
      reply,
      version,
    )
  if (!services.hooks.has('beforeUpdate')) return write(null)
  const { changed } = await changeInTurn(services, call, { name: 'user', id: userId }, async () => {
    const { user, version } = await findUser(services, call, userId)
    if (user.isActive) return { changed: undefined }
    await askBeforeUpdate(services, call, user, { ...user, isActive: true }, ['isActive'])
    const changed = await write(version)
    return changed && { changed }
  })
  return changed
}
