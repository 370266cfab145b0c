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
  type AccountsOfEmail,
  type FirstAccount,
  type NewAccount,
  newAccountSchema,
  type RenameAccount,
  renameAccountSchema,
  type UpdateAccount,
  updateAccountSchema,
} from './account.ts'
import { type SetPolicy, setPolicySchema } from './account-policy.ts'
import { createAccount } from './create-account.ts'
import {
  type AccountName,
  findAccount,
  findAccountByName,
  readAccountName,
} from './find-account.ts'
import { listAccounts } from './list-accounts.ts'
import { listForEmail } from './list-for-email.ts'
import type { AccountsServices } from './services.ts'
import { setAccountDisabled } from './set-account-disabled.ts'
import { setPolicy } from './set-policy.ts'
import { updateAccount } from './update-account.ts'

/**
 * The tenants of the service: each has its own API keys and users.
 *
 * @example
 * const account = await clientele.accounts.create({ name: 'Acme', slug: 'acme', externalId: 'customer-17' })
 * await clientele.accounts.update(account.id, { name: 'Acme Inc.', metadata: { plan: 'pro' } })
 * const found = await clientele.accounts.find({ slug: 'acme' })
 */
export interface AccountsApi {
  /**
   * Creates an account without keys and users. The call, which names the actor, is optional.
   *
   * @throws ClienteleError `slug_taken`, `external_id_taken`, `validation_failed`
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
   * Reads an account, a disabled one too: by its id, by its slug (`find({ slug: 'acme' })`) or by your own id for it
   * (`find({ externalId: 'customer-17' })`). These two are compared character by character.
   *
   * @throws ClienteleError `account_not_found`, also for a text that cannot be a slug or an external id
   */
  find(call: CallInput | AccountName): Promise<Account>
  /**
   * Lists every account, in the order of their ids: oldest first. They are read in parts: one that is created or deleted
   * meanwhile may be listed or not.
   *
   * @throws ClienteleError `validation_failed`, `storage_unavailable`
   */
  list(call?: CallerInput): Promise<Account[]>
  /**
   * Lists the accounts in which a user has this e-mail address, for a sign-in page that all accounts share. Disabled
   * accounts, and accounts in which the user is deactivated, are left out. The address is normalised as users' are. The
   * call is optional. The result tells where a person has an account: read guides/tenants.md before you show it.
   *
   * @throws ClienteleError `validation_failed`
   */
  listForEmail(email: string): Promise<AccountsOfEmail>
  listForEmail(call: CallerInput, email: string): Promise<AccountsOfEmail>
  /**
   * Changes the given members and keeps the others. Null takes the slug or the external id away; `metadata` replaces all
   * entries. If nothing changes, nothing is written, and there is no event.
   *
   * @throws ClienteleError `account_not_found`, `slug_taken`, `external_id_taken`, `validation_failed`
   */
  update(call: CallInput, changes: UpdateAccount): Promise<Account>
  /**
   * Changes an account's name and returns the account, as `update` does.
   *
   * @throws ClienteleError `account_not_found`, `validation_failed`
   */
  rename(call: CallInput, input: RenameAccount): Promise<Account>
  /**
   * Changes what the account demands of its users' sign-ins and passwords. Members that are not given stay; null takes
   * back a length or a time of the account's own. The next sign-in in every process obeys it. Open sessions go on: see
   * guides/account-policy.md. If nothing changes, nothing is written, and there is no event.
   *
   * @throws ClienteleError `account_not_found`; `validation_failed`, also for a value that is wider than the service's
   *   own `passwords.minLength`, `sessionTtlSeconds` and `sessionMaxSeconds`
   * @example
   * await clientele.accounts.setPolicy(accountId, { signIn: ['passkey', 'id_token'], passwordRequired: false })
   */
  setPolicy(call: CallInput, policy: SetPolicy): Promise<Account>
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
  return {
    accounts: {
      create: async (...given: NewAccountArguments) => {
        const [, input] = readNewAccount(services, given)
        return createAccount(services, input)
      },
      find: async (call) => {
        const named = readAccountName(call)
        if (named !== undefined) return findAccountByName(services, named.kind, named.name)
        return findAccount(services, readCall(services, call as CallInput)) // it has no name
      },
      list: async (call) => {
        readCaller(services, call)
        return listAccounts(services)
      },
      listForEmail: async (...given: [email: string] | [call: CallerInput, email: string]) => {
        const [call, email] = given.length === 1 ? [undefined, ...given] : given
        readCaller(services, call)
        return listForEmail(services, email)
      },
      update: async (call, changes) =>
        updateAccount(services, readCall(services, call), parseInput(updateAccountSchema, changes)),
      rename: async (call, input) =>
        updateAccount(services, readCall(services, call), parseInput(renameAccountSchema, input)),
      setPolicy: async (call, policy) =>
        setPolicy(services, readCall(services, call), parseInput(setPolicySchema, policy)),
      disable: async (call) => setAccountDisabled(services, readCall(services, call), true),
      enable: async (call) => setAccountDisabled(services, readCall(services, call), false),
    },
  }
}
