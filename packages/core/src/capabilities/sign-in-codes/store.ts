import type { StoredUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { FirstProofEvents } from '../users/first-proof-events.ts'

// Times are milliseconds since the epoch.

export interface NewSignInCode {
  /** Of what is no address, a digest */
  email: string
  /** Of the challenge */
  hash: string
  codeHash: string
  tokenHash: string
  tries: number
  expiresAt: number
}

/** What a sign-in by a code reads, in one round trip */
export interface CodeSignIn {
  policy: StoredPolicy
  /** Undefined: the challenge is unknown, used up, replaced or expired */
  found: { email: string } | undefined
}

export interface TriedCode {
  email: string
  /** Null: nothing was mailed, because no user had the address */
  userId: string | null
  codeHash: string
  tokenHash: string
}

/** The user whom a code has signed in. */
export interface CodeUser {
  user: StoredUser
  passwordHash: string | null
  tokensNotBefore: number
  /** Of the first proof of the address; none where it was verified before */
  told: NewEvent[]
}

/** The events of the first proof of an address. */
export interface CodeProofEvents extends FirstProofEvents {
  verified(user: StoredUser): NewEvent<'user.email_verified'>
}

export interface SignInCodeStore {
  /**
   * Stores the code of an address, whether a user has it or not; the one before is void.
   *
   * @throws ClienteleError `account_not_found`
   */
  put(accountId: string, code: NewSignInCode): Promise<void>
  /**
   * Notes whose code it is, and returns the user's id. For an address that no active user has, it writes as much. Undefined:
   * nobody's, or the code was replaced.
   */
  assign(accountId: string, hash: string, email: string): Promise<string | undefined>
  /** Reads the account's policy, and a challenge that is valid. Undefined: there is no such account, or it is disabled. */
  find(accountId: string, hash: string, now: number): Promise<CodeSignIn | undefined>
  /** Uses up one of the tries of a valid challenge. */
  takeTry(accountId: string, hash: string, now: number): Promise<TriedCode | undefined>
  /**
   * Uses up a code, and marks the address as verified. If it was not verified before, all credentials of the user end, the
   * password too. Of several concurrent calls one succeeds. Undefined: the code was used or replaced meanwhile, or the
   * user is inactive or has another address.
   */
  use(
    accountId: string,
    code: { hash: string; userId: string; email: string },
    now: number,
    events: CodeProofEvents,
  ): Promise<CodeUser | undefined>
}
