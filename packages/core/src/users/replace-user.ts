import { findAccountRules } from '../accounts/find-account.ts'
import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { isSameJson } from '../input/json.ts'
import type { Services } from '../services.ts'
import type { Profile } from './client-user.ts'
import { findUser } from './find-user.ts'
import type { UserChanges } from './store.ts'
import { toClientUser, toStoredProfile, type VersionedUser } from './stored-user.ts'
import { type CheckedReplace, checkAccountRules, profileOf } from './user-input.ts'

/**
 * Replaces the whole model. `expectedVersion` null: whatever the version is. A new password ends the user's sessions,
 * except the one to keep; so does `isActive` false, and it keeps none.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function replaceUser(
  services: Services,
  call: Call,
  userId: string,
  input: CheckedReplace,
  expectedVersion: number | null,
  keepSessionId?: string,
): Promise<VersionedUser> {
  const { passwords, passwordPolicy } = services
  const { password, isActive } = input
  await checkAccountRules(await findAccountRules(services, call), passwordPolicy, input)
  const passwordHash =
    password === undefined ? undefined : await passwords.hash(call.accountId, password)
  // Only what was there before tells which event the change is.
  const before = isActive === undefined ? undefined : await findUser(services, call, userId)
  const changes = { ...toStoredProfile(input), isActive, passwordHash, keepSessionId }
  return storeChanges(services, call, userId, changes, expectedVersion, before)
}

/**
 * Stores what has been checked, and tells of it.
 *
 * @param before the user as it was, where that is known: whether it is active may be all that changes
 * @throws ClienteleError `user_not_found`, `email_taken`, `precondition_failed`
 */
export async function storeChanges(
  { repository, events, clock }: Services,
  call: Call,
  userId: string,
  changes: Omit<UserChanges, 'updatedAt' | 'before'>,
  expectedVersion: number | null,
  before?: VersionedUser,
): Promise<VersionedUser> {
  const dated = { ...changes, before, updatedAt: clock() }
  const outcome = await repository.users.replace(call.accountId, userId, dated, expectedVersion)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  const { user, version } = outcome
  const passwordChanged = changes.passwordHash !== undefined
  const isSuccessor = before !== undefined && version === before.version + 1
  const isSwitched = isSuccessor && before.user.isActive !== user.isActive
  const hasOnlySwitched =
    isSwitched && !passwordChanged && hasSameProfile(toClientUser(before.user), toClientUser(user))
  if (hasOnlySwitched)
    events.emit(user.isActive ? 'user.activated' : 'user.deactivated', { ...originOf(call), user })
  else events.emit('user.updated', { ...originOf(call), user, passwordChanged })
  return outcome
}

/** Whether two states of a user agree in what is stored of a caller's input, but for the password and `isActive`. */
export function hasSameProfile(left: Profile, right: Profile): boolean {
  return isSameJson(profileOf(left), profileOf(right))
}
