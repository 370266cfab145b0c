import { setImmediate } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { setAccountDisabled } from '../accounts/set-account-disabled.ts'
import type { AccountLifecycleServices } from './services.ts'

/** Users that go at once: so few that nobody who asks for something else meanwhile waits long. */
const deletedAtOnce = 250

/**
 * Deletes an account with its users, keys and everything else of it. Its keys and tokens end first, and its users go
 * a few at a time; where that is interrupted the account stays disabled, and can be deleted again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function deleteAccount(services: AccountLifecycleServices, call: Call): Promise<void> {
  await setAccountDisabled(services, call, true)
  const { repository } = services
  const { accountId } = call
  while ((await repository.users.deleteFirst(accountId, deletedAtOnce)) === deletedAtOnce) {
    await setImmediate()
  }
  await repository.accounts.delete(accountId)
}
