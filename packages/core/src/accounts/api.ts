import { type CallInput, readCall } from '../call.ts'
import { parseInput } from '../input/input.ts'
import type { Services } from '../services.ts'
import {
  type Account,
  type NewAccount,
  newAccountSchema,
  type RenameAccount,
  renameAccountSchema,
} from './account.ts'
import { bootstrap, type FirstAccount } from './bootstrap.ts'
import { deleteAccount, renameAccount, setAccountDisabled } from './change-account.ts'
import { createAccount } from './create-account.ts'
import { findAccount } from './find-account.ts'

/**
 * The customers of the API: each has API keys and users of its own.
 *
 * @example
 * const account = await clientele.accounts.create({ name: 'Acme', allowedRoles: ['admin', 'member'] })
 * await clientele.accounts.rename(account.id, { name: 'Acme Inc.' })
 */
export interface AccountsApi {
  /**
   * Makes an account, without a key or a user.
   *
   * @throws ClienteleError `validation_failed`
   */
  create(input: NewAccount): Promise<Account>
  /**
   * Makes an account with an API key when there is no account at all, else answers with undefined. Of several
   * processes that try at once, one makes it.
   *
   * @throws ClienteleError `validation_failed`
   */
  bootstrap(input: NewAccount): Promise<FirstAccount | undefined>
  /**
   * Reads an account: its name, the roles that it allows, since when it is disabled.
   *
   * @throws ClienteleError `account_not_found`
   */
  find(call: CallInput): Promise<Account>
  /**
   * Lists every account, oldest first.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  list(): Promise<Account[]>
  /**
   * Changes an account's name, and answers with the account.
   *
   * @throws ClienteleError `account_not_found`, `validation_failed`
   */
  rename(call: CallInput, input: RenameAccount): Promise<Account>
  /**
   * Refuses an account's API keys and its users' tokens, and lets nobody sign in: from the next request on, in every
   * process. Nothing is lost: after `enable`, keys, sessions and tokens work again.
   *
   * @throws ClienteleError `account_not_found`
   */
  disable(call: CallInput): Promise<Account>
  /**
   * Ends what `disable` began.
   *
   * @throws ClienteleError `account_not_found`
   */
  enable(call: CallInput): Promise<Account>
  /**
   * Disables the account, then deletes it with its users, keys and everything else of it. Permanent.
   *
   * @throws ClienteleError `account_not_found`
   */
  delete(call: CallInput): Promise<void>
  /**
   * Counts the account's users anew, should totals ever be wrong, and answers with how many there are.
   *
   * @throws ClienteleError `account_not_found`
   */
  recount(call: CallInput): Promise<number>
}

export function createAccountsApi(services: Services): { accounts: AccountsApi } {
  const { repository } = services
  return {
    accounts: {
      create: async (input) => createAccount(services, parseInput(newAccountSchema, input)),
      bootstrap: async (input) => bootstrap(services, parseInput(newAccountSchema, input)),
      find: async (call) => findAccount(services, readCall(services, call)),
      list: () => repository.accounts.list(),
      rename: async (call, input) =>
        renameAccount(services, readCall(services, call), parseInput(renameAccountSchema, input)),
      disable: async (call) => setAccountDisabled(services, readCall(services, call), true),
      enable: async (call) => setAccountDisabled(services, readCall(services, call), false),
      delete: async (call) => deleteAccount(services, readCall(services, call)),
      recount: async (call) => {
        const { id } = await findAccount(services, readCall(services, call))
        return repository.users.recount(id)
      },
    },
  }
}
