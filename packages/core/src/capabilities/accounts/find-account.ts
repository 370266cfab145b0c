import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Account, AccountRules } from './account.ts'
import type { AccountsServices } from './services.ts'

/** @throws ClienteleError `account_not_found` */
export async function findAccount(
  { repository }: AccountsServices,
  { accountId }: Call,
): Promise<Account> {
  const account = await repository.accounts.find(accountId)
  if (account === undefined) throw new ClienteleError('account_not_found')
  return account
}

/**
 * The settings that a user is validated against: read, unless they were read together with the caller's API key.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function findAccountRules(
  services: AccountsServices,
  call: Call,
): Promise<AccountRules> {
  const { accountId, allowedRoles } = call
  return allowedRoles === undefined ? findAccount(services, call) : { id: accountId, allowedRoles }
}
