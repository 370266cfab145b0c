import type { Call } from '../../base/call/call.ts'
import { newEvent } from '../events/new-event.ts'
import type { Account } from './account.ts'
import { findAccount } from './find-account.ts'
import type { AccountsServices } from './services.ts'

/**
 * Refuses an account's API keys and its users' tokens in every process, or accepts them again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function setAccountDisabled(
  services: AccountsServices,
  call: Call,
  isDisabled: boolean,
): Promise<Account> {
  const { repository, events, clock } = services
  const { accountId } = call
  const disabledAt = isDisabled ? clock() : null
  const type = isDisabled ? 'account.disabled' : 'account.enabled'
  const event = await repository.accounts.setDisabled(accountId, disabledAt, (account) =>
    newEvent(services, call, type, accountId, { account }),
  )
  const account = await findAccount(services, call)
  if (event !== undefined) events.emit(event)
  return account
}
