import type { NewEvent } from '../events/new-event.ts'
import type { Account, AccountValues } from './account.ts'

// Times are milliseconds since the epoch.

export interface AccountStore {
  create(accountId: string, account: AccountValues, createdAt: number): Promise<void>
  find(accountId: string): Promise<Account | undefined>
  list(): Promise<Account[]>
  /** Returns the event; undefined when there is no such account. */
  rename(
    accountId: string,
    name: string,
    eventOf: (account: Account) => NewEvent<'account.updated'>,
  ): Promise<NewEvent | undefined>
  /** Null enables the account. Returns undefined when nothing changes; a disabled account keeps its time. */
  setDisabled(
    accountId: string,
    disabledAt: number | null,
    eventOf: (account: Account) => NewEvent<'account.disabled' | 'account.enabled'>,
  ): Promise<NewEvent | undefined>
  /** Deletes the account with all its data. Returns whether there was such an account. */
  delete(accountId: string): Promise<boolean>
}
