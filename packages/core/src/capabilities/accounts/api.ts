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
 * The tenants of the service: each has its own API keys and users.
 *
 * @example
 * const account = await clientele.accounts.create({ name: 'Acme', allowedRoles: ['admin', 'member'] })
 * await clientele.accounts.rename(account.id, { name: 'Acme Inc.' })
 */
export interface AccountsApi {
  /**
   * Creates an account without keys and users. The call, which names the actor, is optional.
   *
   * @throws ClienteleError `validation_failed`
   */
  create(input: NewAccount): Promise<Account>
  create(call: CallerInput, input: NewAccount): Promise<Account>
  /**
   * Creates an account with an API key if there is no account at all; otherwise returns undefined. If several processes
   * try at once, one creates it. The call is optional.
   *
   * @throws ClienteleError `validation_failed`
   */
  bootstrap(input: NewAccount): Promise<FirstAccount | undefined>
  bootstrap(call: CallerInput, input: NewAccount): Promise<FirstAccount | undefined>
  /**
   * Reads an account: its name, its allowed roles, and since when it is disabled.
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
   * Changes an account's name and returns the account.
   *
   * @throws ClienteleError `account_not_found`, `validation_failed`
   */
  rename(call: CallInput, input: RenameAccount): Promise<Account>
  /**
   * Refuses the account's API keys and its users' tokens, and all sign-ins, from the next request on and in every
   * process. Nothing is lost: after `enable` keys, sessions and tokens work again.
   *
   * @throws ClienteleError `account_not_found`
   */
  disable(call: CallInput): Promise<Account>
  /**
   * Enables a disabled account.
   *
   * @throws ClienteleError `account_not_found`
   */
  enable(call: CallInput): Promise<Account>
  /**
   * Disables the account, then deletes it with its users, keys and all other data. Permanent.
   *
   * @throws ClienteleError `account_not_found`
   */
  delete(call: CallInput): Promise<void>
  /**
   * Recounts the account's users, in case totals are ever wrong, and returns their number.
   *
   * @throws ClienteleError `account_not_found`
   */
  recount(call: CallInput): Promise<number>
}

export type NewAccountArguments = [input: NewAccount] | [call: CallerInput, input: NewAccount]

/** Methods whose call is optional. */
export function readNewAccount(
  services: AccountsServices,
  given: NewAccountArguments,
): [Caller, z.output<typeof newAccountSchema>] {
  const [call, input] = given.length === 1 ? [undefined, ...given] : given
  return [readCaller(services, call), parseInput(newAccountSchema, input)]
}

/** Methods that are implemented in account-lifecycle, because they need users and keys. */
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
