import type { Call } from '../call.ts'
import type { Services } from '../services.ts'
import { checkAccountRules } from './user-input.ts'

/**
 * Hashes a new password before anything is read, where the call is a part of a transaction of the host's: what takes
 * long must not stand between two of its statements. Undefined where there is no password, or no such hurry.
 *
 * @throws ClienteleError `validation_failed`, `overloaded`
 */
export async function hashFirst(
  { hashesFirst, passwords, passwordPolicy }: Services,
  { accountId }: Call,
  password: string | undefined,
): Promise<string | undefined> {
  if (!hashesFirst || password === undefined) return undefined
  await checkAccountRules({ id: accountId, allowedRoles: null }, passwordPolicy, {
    roles: [],
    password,
  })
  return passwords.hash(accountId, password)
}
