import type { AccountValues } from '../accounts/account.ts'
import type { ApiKeyRecord } from '../api-keys/store.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface AccountLifecycleStore {
  /**
   * Stores the account with its first key if there is no account at all. Returns whether it did: if several processes
   * try at once, one succeeds.
   */
  bootstrap(
    accountId: string,
    account: AccountValues,
    createdAt: number,
    key: ApiKeyRecord,
    event: NewEvent<'api_key.created'>,
  ): Promise<boolean>
  /** Deletes the rows that callers have caused, except for users, in parts: up to a few that are deleted with the account. */
  shorten(accountId: string): Promise<void>
}
