import type { Call } from '../../base/call/call.ts'
import { setAccountDisabled } from '../accounts/set-account-disabled.ts'
import { letOthersWrite } from './let-others-write.ts'
import type { AccountLifecycleServices } from './services.ts'

/** How many users are deleted at once: few enough that other requests do not wait long, though each has many rows. */
const deletedAtOnce = 50

/**
 * Deletes an account with its users, keys and all other data. Its keys and tokens end first, then its rows and its users
 * are deleted in small batches. If that is interrupted, the account stays disabled and can be deleted again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function deleteAccount(services: AccountLifecycleServices, call: Call): Promise<void> {
  await setAccountDisabled(services, call, true)
  const { repository } = services
  const { accountId } = call
  await repository.accountLifecycle.shorten(accountId)
  while ((await repository.users.deleteFirst(accountId, deletedAtOnce)) === deletedAtOnce) {
    await letOthersWrite()
  }
  await repository.accounts.delete(accountId)
}
