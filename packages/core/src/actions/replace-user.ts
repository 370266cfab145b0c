import type { AccountRules } from '../domain/account.ts'
import type { VersionedUser } from '../domain/client-user.ts'
import { ClienteleError } from '../errors.ts'
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
  const { repository, passwords, passwordPolicy, events, clock } = services
  const { password, ...profile } = input
  await checkAccountRules(account, passwordPolicy, input)
  const passwordHash = password === undefined ? undefined : await passwords.hash(password)
  const changes = { ...profile, passwordHash, keepSessionId, updatedAt: clock() }
  const outcome = await repository.replaceUser(account.id, userId, changes, expectedVersion)
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  events.emit('user.updated', {
    accountId: account.id,
    user: outcome.user,
    passwordChanged: passwordHash !== undefined,
  })
  return outcome
}
