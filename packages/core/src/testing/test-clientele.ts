import type { Account, NewAccount } from '../capabilities/accounts/account.ts'
import type { CreateUserInput } from '../capabilities/users/user-input.ts'
import type { Clientele } from '../clientele/clientele.ts'
import type { ClienteleOptions } from '../clientele/clientele-options.ts'
import type { ClientUser, UserResult } from '../user-model/client-user.ts'
import type { Tenant } from './tenant-leaks/find-tenant-leaks.ts'
import type { TestClock } from './test-clock.ts'
import type { TestMails } from './test-mails.ts'

/** What `createClientele` takes, but for where it is kept: in memory. */
export type TestClienteleOptions = Omit<ClienteleOptions, 'repository'>

/** A user, with the password to sign in with. */
export interface TestUser extends UserResult {
  password: string
}

/** A Clientele for one test or one file of tests. It shares nothing with others. */
export interface TestClientele {
  /** The real thing: mount it, or call it */
  clientele: Clientele
  /** What Clientele reads the time from */
  clock: TestClock
  /** What users were sent */
  mails: TestMails
  /**
   * Makes an account, and an API key that may do everything.
   *
   * @throws ClienteleError `validation_failed`
   */
  createAccount(input?: Partial<NewAccount>): Promise<{ account: Account; apiKey: string }>
  /**
   * Makes a user of an account; what is not given is made up.
   *
   * @throws ClienteleError `account_not_found`, `email_taken`, `validation_failed`
   */
  createUser(accountId: string, input?: Partial<CreateUserInput>): Promise<TestUser>
  /**
   * Opens a session for a user of any account, and answers with its token (a JWT). It asks for no password and no second
   * factor; the user must be active.
   *
   * @throws ClienteleError `user_not_found`; `credentials_invalid` for a user who may not sign in
   */
  tokenFor(user: Pick<ClientUser, 'id'>): Promise<string>
  /**
   * Makes an account with a user, a session, a webhook and whatever else our routes are about, for `findTenantLeaks`.
   *
   * @param objects what it has in your application, by the names that your routes have for it
   * @param profile what its users have: metadata, where your schema of them wants some
   * @throws ClienteleError `validation_failed`
   */
  createTenant(
    objects?: Record<string, string>,
    profile?: Pick<Partial<CreateUserInput>, 'metadata' | 'roles'>,
  ): Promise<Tenant>
  /** Waits for what is under way; then everything is gone. */
  close(): Promise<void>
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
