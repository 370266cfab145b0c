import type { NewEvent } from '../events/new-event.ts'
import type {
  Account,
  AccountChanges,
  AccountSettings,
  AccountSummary,
  AccountValues,
} from './account.ts'
import type { AccountNameKind, NameTaken } from './account-names.ts'

// Times are milliseconds since the epoch.

export interface AccountStore {
  /** Writes nothing when another account has the slug or the external id. */
  create(
    accountId: string,
    account: AccountValues,
    createdAt: number,
  ): Promise<'created' | NameTaken>
  find(accountId: string): Promise<Account | undefined>
  /** What actions about its users read, and nothing more */
  findSettings(accountId: string): Promise<AccountSettings | undefined>
  /** Whether there is such an account. Unknown callers may ask for any number of made-up ids. */
  exists(accountId: string): Promise<boolean>
  /** Whether there is such an account, or was one when it was asked for before: what looks into the account says the rest. */
  isKnown(accountId: string): Promise<boolean>
  findByName(kind: AccountNameKind, name: string): Promise<Account | undefined>
  /** The next accounts after an id, in the order of their ids */
  list(after: string, limit: number): Promise<Account[]>
  /** The same, outside of the event loop, with what a search needs */
  listSummaries(after: string, limit: number): Promise<AccountSummary[]>
  /** The enabled accounts with an active user of this normalised address, oldest first */
  listOfEmail(email: string, limit: number): Promise<Account[]>
  /**
   * Writes the given members. Returns undefined when there is no such account; without an event when nothing changed.
   * Writes nothing when another account has the slug or the external id.
   */
  update(
    accountId: string,
    changes: AccountChanges,
    eventOf: (account: Account) => NewEvent<'account.updated'>,
  ): Promise<{ account: Account; event: NewEvent | undefined } | NameTaken | undefined>
  /** Null enables the account. Returns undefined when nothing changes; a disabled account keeps its time. */
  setDisabled(
    accountId: string,
    disabledAt: number | null,
    eventOf: (account: Account) => NewEvent<'account.disabled' | 'account.enabled'>,
  ): Promise<NewEvent | undefined>
  /** Deletes the account with all its data. Returns whether there was such an account. */
  delete(accountId: string): Promise<boolean>
}
