import type { ApiKeyRecord } from '../api-keys/store.ts'
import type { Account, AccountValues } from './account.ts'

// Times are milliseconds since the epoch.

export interface AccountStore {
  create(accountId: string, account: AccountValues, createdAt: number): Promise<void>
  /**
   * Stores the account with its first key when there is no account at all, and answers whether it did: of any number
   * of processes that try at once, one.
   */
  bootstrap(
    accountId: string,
    account: AccountValues,
    createdAt: number,
    key: ApiKeyRecord,
  ): Promise<boolean>
  find(accountId: string): Promise<Account | undefined>
  list(): Promise<Account[]>
  /** Answers whether there is such an account. */
  rename(accountId: string, name: string): Promise<boolean>
  /** Null: it is not disabled any more. Answers whether that changed anything; what is disabled keeps its time. */
  setDisabled(accountId: string, disabledAt: number | null): Promise<boolean>
  /** Deletes the account with all that is its. Answers whether there was such an account. */
  delete(accountId: string): Promise<boolean>
}
