import type { z } from 'zod'
import {
  type Caller,
  type CallerInput,
  type CallInput,
  readCall,
  readCaller,
} from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import {
  type Account,
  type FirstAccount,
  type NewAccount,
  newAccountSchema,
  type RenameAccount,
  renameAccountSchema,
} from './account.ts'
import { createAccount } from './create-account.ts'
import { findAccount } from './find-account.ts'
import { renameAccount } from './rename-account.ts'
import type { AccountsServices } from './services.ts'
import { setAccountDisabled } from './set-account-disabled.ts'

/**
 * The customers of the API: each has API keys and users of its own.
 *
 * @example
 * const account = await clientele.accounts.create({ name: 'Acme', allowedRoles: ['admin', 'member'] })
 * await clientele.accounts.rename(account.id, { name: 'Acme Inc.' })
 */
export interface AccountsApi {
  /**
   * Makes an account, without a key or a user. The call, which says who does it, can be left out.
   *
   * @throws ClienteleError `validation_failed`
   */
  create(input: NewAccount): Promise<Account>
  create(call: CallerInput, input: NewAccount): Promise<Account>
  /**
   * Makes an account with an API key when there is no account at all, else answers with undefined. Of several
   * processes that try at once, one makes it. The call can be left out.
   *
   * @throws ClienteleError `validation_failed`
   */
  bootstrap(input: NewAccount): Promise<FirstAccount | undefined>
  bootstrap(call: CallerInput, input: NewAccount): Promise<FirstAccount | undefined>
  /**
   * Reads an account: its name, the roles that it allows, since when it is disabled.
   *
   * @throws ClienteleError `account_not_found`
   */
  find(call: CallInput): Promise<Account>
  /**
   * Lists every account, oldest first.
   *
   * @throws ClienteleError `validation_failed`, `storage_unavailable`
   */
  list(call?: CallerInput): Promise<Account[]>
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

export type NewAccountArguments = [input: NewAccount] | [call: CallerInput, input: NewAccount]

/** What makes an account can come without a call. */
export function readNewAccount(
  services: AccountsServices,
  given: NewAccountArguments,
): [Caller, z.output<typeof newAccountSchema>] {
  const [call, input] = given.length === 1 ? [undefined, ...given] : given
  return [readCaller(services, call), parseInput(newAccountSchema, input)]
}

/** Its methods that are made in account-lifecycle: they know users and keys. */
export type AccountLifecycleMethods = Pick<AccountsApi, 'bootstrap' | 'delete' | 'recount'>

export function createAccountsApi(services: AccountsServices): {
  accounts: Omit<AccountsApi, keyof AccountLifecycleMethods>
} {
  const { repository } = services
  return {
    accounts: {
      create: async (...given: NewAccountArguments) => {
        const [, input] = readNewAccount(services, given)
        return createAccount(services, input)
      },
      find: async (call) => findAccount(services, readCall(services, call)),
      list: async (call) => {
        readCaller(services, call)
        return repository.accounts.list()
      },
      rename: async (call, input) =>
        renameAccount(services, readCall(services, call), parseInput(renameAccountSchema, input)),
      disable: async (call) => setAccountDisabled(services, readCall(services, call), true),
      enable: async (call) => setAccountDisabled(services, readCall(services, call), false),
    },
  }
}
