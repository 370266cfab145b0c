import type { Call } from '../../base/call/call.ts'
import { ClienteleError, type HttpErrorCode } from '../../base/errors.ts'
import { toStoredProfile, type VersionedUser } from '../../user-model/stored-user.ts'
import { type NewEvent, newEvent } from '../events/new-event.ts'
import { askBeforeCreate } from '../hooks/ask-hooks.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { checkAndHash } from './hash-password.ts'
import type { UsersServices } from './services.ts'
import type { NewUserRecord } from './store.ts'
import type { CheckedCreate } from './user-input.ts'

/** Writes a new user; the store of a room above writes more in the same transaction. */
export type WriteNewUser = (
  accountId: string,
  user: NewUserRecord,
  event: NewEvent<'user.created'>,
  reply?: NewReply,
) => Promise<'created' | HttpErrorCode>

/**
 * Creates a user; with an idempotency key, once.
 *
 * @param write stores the user. By default it is the users' own store
 * @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`, `overloaded`;
 *   `refused_by_hook`, `hook_unavailable`; `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function createUser(
  services: UsersServices,
  call: Call,
  input: CheckedCreate,
  write: WriteNewUser = services.repository.users.create,
): Promise<VersionedUser> {
  return answerOnce(services, call, { operation: 'createUser', input }, (reply) =>
    storeUser(services, call, input, write, reply),
  )
}

async function storeUser(
  services: UsersServices,
  call: Call,
  input: CheckedCreate,
  write: WriteNewUser,
  reply?: NewReply,
): Promise<VersionedUser> {
  const { events, newId, clock } = services
  const { roles, password } = input
  const passwordHash = await checkAndHash(services, call, { roles, password })
  const now = clock()
  const user = {
    id: newId(),
    ...toStoredProfile(input),
    isActive: input.isActive,
    createdAt: now,
    updatedAt: now,
  }
  await askBeforeCreate(services, call, user, 'create')
  const event = newEvent(services, call, 'user.created', user.id, {}, { user })
  const outcome = await write(
    call.accountId,
    { ...user, passwordHash: passwordHash ?? null },
    event,
    reply,
  )
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  return { user, version: 1 }
}
