import type { AccountRules } from '../domain/account.ts'
import type { VersionedUser } from '../domain/client-user.ts'
import { ClienteleError } from '../errors.ts'
import type { UserChanges } from '../repository.ts'
import type { Services } from './services.ts'
import { type CheckedReplace, checkAccountRules } from './user-input.ts'

/**
 * Replaces the whole model. `expectedVersion` null: whatever the version is. A new password ends the user's sessions,
 * except the one to keep.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function replaceUser(
  services: Services,
  account: AccountRules,
  userId: string,
  input: CheckedReplace,
  expectedVersion: number | null,
  keepSessionId?: string,
): Promise<VersionedUser> {
  const { passwords, passwordPolicy } = services
  const { password, ...profile } = input
  await checkAccountRules(account, passwordPolicy, input)
  const passwordHash =
    password === undefined ? undefined : await passwords.hash(account.id, password)
  const changes = { ...profile, passwordHash, keepSessionId }
  return storeChanges(services, account.id, userId, changes, expectedVersion)
}

/**
 * Stores what has been checked, and tells of it.
 *
 * @throws ClienteleError `user_not_found`, `email_taken`, `precondition_failed`
 */
export async function storeChanges(
  { repository, events, clock }: Services,
  accountId: string,
  userId: string,
  changes: Omit<UserChanges, 'updatedAt'>,
  expectedVersion: number | null,
): Promise<VersionedUser> {
  const dated = { ...changes, updatedAt: clock() }
  const outcome = await repository.replaceUser(accountId, userId, dated, expectedVersion)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  const passwordChanged = changes.passwordHash !== undefined
  events.emit('user.updated', { accountId, user: outcome.user, passwordChanged })
  return outcome
}
