import type { StoredPolicy } from '../accounts/account-policy.ts'
import type { IdentityCredentials } from '../identities/store.ts'
import type { Credentials } from '../users/store.ts'

/** What a sign-in by password reads, in one round trip */
export interface PasswordSignIn {
  policy: StoredPolicy
  /** Undefined: nobody has the address */
  found: (Credentials & { isEmailVerified: boolean }) | undefined
}

/** What a sign-in by an ID token reads, in one round trip */
export interface IdentitySignIn {
  policy: StoredPolicy
  isAccountDisabled: boolean
  /** Undefined: nobody has the identity */
  found: IdentityCredentials | undefined
}

export interface SignInStore {
  /** Reads the account's policy and the user with an address. Undefined: there is no such account. */
  findByEmail(accountId: string, email: string): Promise<PasswordSignIn | undefined>
  /** Reads the account's policy and the user with an identity. Undefined: there is no such account. */
  findByIdentity(
    accountId: string,
    issuer: string,
    subject: string,
  ): Promise<IdentitySignIn | undefined>
  /**
   * Uses up an ID token, by its digest; returns false when it was used before. Of several concurrent calls one
   * succeeds.
   *
   * @param expiresAt milliseconds since the epoch: after that the token is refused anyway
   */
  useIdToken(accountId: string, digest: string, expiresAt: number): Promise<boolean>
}
