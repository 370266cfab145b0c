import type { Call } from '../../base/call/call.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import { changeUser, checkPasswordOptions, type PasswordOptions } from './change-user.ts'
import { checkAndHash } from './hash-password.ts'
import type { UsersServices } from './services.ts'
import type { CheckedReplace } from './user-input.ts'

/**
 * Replaces the whole user. `expectedVersion` null: any version. A new password ends the user's sessions, except the one
 * to keep; `isActive` false ends all of them, and the user's own tokens.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function replaceUser(
  services: UsersServices,
  call: Call,
  userId: string,
  input: CheckedReplace,
  expectedVersion: number | null,
  options: PasswordOptions = {},
): Promise<VersionedUser> {
  const { roles, password, isActive } = input
  checkPasswordOptions(options, password)
  const passwordHash = await checkAndHash(services, call, { roles, password })
  const next = { profile: input, isActive, passwordHash, options }
  return changeUser(services, call, userId, expectedVersion, async () => next)
}
