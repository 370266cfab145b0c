import { findAccountRules } from '../accounts/find-account.ts'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { Services } from '../services.ts'
import { hashFirst } from './hash-first.ts'
import { toStoredProfile, type VersionedUser } from './stored-user.ts'
import { type CheckedCreate, checkAccountRules, profileOf } from './user-input.ts'

/**
 * Creates a user; with a key, once.
 *
 * @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`, `overloaded`;
 *   `idempotency_in_progress`, `idempotency_key_reused`
 */
export async function createUser(
  services: Services,
  call: Call,
  input: CheckedCreate,
): Promise<VersionedUser> {
  return answerOnce(services, call, { operation: 'createUser', input }, (reply) =>
    storeUser(services, call, input, reply),
  )
}

async function storeUser(
  services: Services,
  call: Call,
  input: CheckedCreate,
  reply?: NewReply,
): Promise<VersionedUser> {
  const { repository, passwords, passwordPolicy, events, newId, clock } = services
  const { password, isActive } = input
  const profile = profileOf(input)
  const hashedFirst = await hashFirst(services, call, password)
  await checkAccountRules(await findAccountRules(services, call), passwordPolicy, {
    roles: input.roles,
    password: hashedFirst === undefined ? password : undefined,
  })
  const passwordHash = hashedFirst ?? (await passwords.hash(call.accountId, password))
  const now = clock()
  const user = {
    id: newId(),
    ...toStoredProfile(profile),
    isActive,
    createdAt: now,
    updatedAt: now,
  }
  const event = newEvent(services, call, 'user.created', user.id, {}, { user })
  const record = { ...user, passwordHash }
  const outcome = await repository.users.create(call.accountId, record, event, reply)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  return { user, version: 1 }
}
