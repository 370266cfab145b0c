import type { Account, NewAccount } from '../capabilities/accounts/account.ts'
import type { SetPolicy } from '../capabilities/accounts/account-policy.ts'
import type { CreateUserInput } from '../capabilities/users/user-input.ts'
import type { Clientele } from '../clientele/clientele.ts'
import type { ClienteleOptions } from '../clientele/clientele-options.ts'
import type { ClientUser, UserResult } from '../user-model/client-user.ts'
import type { Tenant } from './tenant-leaks/find-tenant-leaks.ts'
import type { TestClock } from './test-clock.ts'
import type { TestMails } from './test-mails.ts'

/** The options of `createClientele` except for the storage, which is in memory. */
export type TestClienteleOptions = Omit<ClienteleOptions, 'repository'>

/** A user, with the password for signing in. */
export interface TestUser extends UserResult {
  password: string
}

/** A Clientele for one test or one file of tests. It shares nothing with others. */
export interface TestClientele {
  /** A real Clientele: mount it, or call it */
  clientele: Clientele
  /** The clock of the Clientele */
  clock: TestClock
  /** The e-mails to users */
  mails: TestMails
  /**
   * Creates an account, with a policy if one is given, and an API key that may do everything.
   *
   * @throws ClienteleError `validation_failed`
   */
  createAccount(
    input?: Partial<NewAccount> & { policy?: SetPolicy },
  ): Promise<{ account: Account; apiKey: string }>
  /**
   * Creates a user of an account; missing members are made up.
   *
   * @throws ClienteleError `account_not_found`, `email_taken`, `validation_failed`
   */
  createUser(accountId: string, input?: Partial<CreateUserInput>): Promise<TestUser>
  /**
   * Opens a session for a user of any account, and returns its token (a JWT). It needs no password, no second factor
   * and no verified address; the user must be active. The session begins as the account's policy allows: with a
   * password, or else with a passkey or an ID token.
   *
   * @throws ClienteleError `user_not_found`; `credentials_invalid` for a user who cannot sign in
   */
  tokenFor(user: Pick<ClientUser, 'id'>): Promise<string>
  /**
   * Creates an account with a user, a session, a webhook and all other objects of our routes, for `findTenantLeaks`.
   *
   * @param objects the account's objects in your application, by the names in your routes
   * @param profile the profile of its users: metadata, if your schema requires some
   * @throws ClienteleError `validation_failed`
   */
  createTenant(
    objects?: Record<string, string>,
    profile?: Pick<Partial<CreateUserInput>, 'metadata' | 'roles'>,
  ): Promise<Tenant>
  /** Waits for work under way, then deletes everything. */
  close(): Promise<void>
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
