import type { Call } from '../../base/call/call.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { hashFor } from '../passwords/hash-for.ts'
import type { UsersServices } from './services.ts'
import { checkAccountRules, checkPassword } from './user-input.ts'

interface Given<Password> {
  roles: string[]
  password: Password
}

/**
 * Checks the input for a user by the account's rules, and hashes the password.
 *
 * @throws ClienteleError `validation_failed`, `account_not_found`, `overloaded`
 */
export async function checkAndHash<Password extends string | undefined>(
  services: UsersServices,
  call: Call,
  { roles, password }: Given<Password>,
): Promise<Password> {
  const { passwordPolicy } = services
  const hashed = await hashFirst(services, call, password)
  const account = await findAccountRules(services, call)
  const isBreachChecked = hashed !== undefined
  await checkAccountRules(account, passwordPolicy, { roles, password, isBreachChecked })
  const isHashed = hashed !== undefined || password === undefined
  const hash = isHashed ? hashed : await hashFor(services, call, password)
  return hash as Password // a string if the password is one
}

/**
 * In a host's transaction: hashes a new password before the first statement, because slow work must not run between two
 * of its statements. Undefined without a password, or outside of such transactions.
 *
 * @throws ClienteleError `validation_failed`, `overloaded`
 */
export async function hashFirst(
  { hashesFirst, passwords, passwordPolicy }: UsersServices,
  { accountId }: Call,
  password: string | undefined,
): Promise<string | undefined> {
  if (!hashesFirst || password === undefined) return undefined
  await checkPassword(passwordPolicy, password)
  return passwords.hash(accountId, password)
}
