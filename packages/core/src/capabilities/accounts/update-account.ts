import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { Account, AccountChanges } from './account.ts'
import type { AccountsServices } from './services.ts'

/**
 * Changes the given members. Writes nothing, no event either, when they are as they were.
 *
 * @throws ClienteleError `account_not_found`, `slug_taken`, `external_id_taken`
 */
export async function updateAccount(
  services: AccountsServices,
  call: Call,
  changes: AccountChanges,
): Promise<Account> {
  const { repository, events } = services
  const { accountId } = call
  const updated = await repository.accounts.update(accountId, changes, (account) =>
    newEvent(services, call, 'account.updated', accountId, { account }),
  )
  if (updated === undefined) throw new ClienteleError('account_not_found')
  if (typeof updated === 'string') throw new ClienteleError(updated)
  if (updated.event !== undefined) events.emit(updated.event)
  return updated.account
}
