import type { StoredPolicy } from '../accounts/account-policy.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { ShownCredential } from '../sessions/store.ts'

// Times are milliseconds since the epoch.

export interface MfaFactors {
  /** Encrypted; null when the user has none */
  encryptedTotpSecret: string | null
  isTotpConfirmed: boolean
  isEmailEnabled: boolean
  recoveryCodesLeft: number
  /** How many of the user's passkeys are second factors */
  passkeys: number
  /** The event of their last change; null: none since it is kept */
  changedBy: string | null
}

export interface NewChallenge {
  hash: string
  userId: string
  /** The authentication methods of the first step (RFC 8176) */
  amr: string[]
  passwordHash: string | null
  /** As in `NewSession`: the user has changed if it is another by now */
  tokensNotBefore?: number | undefined
  /** As in `SessionConditions`: it must be there still */
  shown?: ShownCredential | undefined
  tries: number
  mails: number
  expiresAt: number
}

/** A challenge, and whether its sign-in is allowed still */
export interface FoundChallenge {
  userId: string
  expiresAt: number
  amr: string[]
  policy: StoredPolicy
  /** Whether the user's present address is verified */
  isEmailVerified: boolean
  /**
   * Whether the user has a second factor, apart from codes by e-mail after a mailed code; otherwise the challenge is to
   * enrol one
   */
  hasFactor: boolean
}

/** The second factor that an answered challenge enrols */
export type ProvedFactor =
  | { method: 'totp'; encryptedSecret: string; step: number }
  | { method: 'email' }

export interface ChallengeState {
  userId: string
  amr: string[]
  passwordHash: string | null
  emailCodeHash: string | null
  /** The address that the code was sent to */
  mailedTo: string | null
}

export interface MfaStore {
  find(accountId: string, userId: string): Promise<MfaFactors | undefined>
  /** Stores a TOTP secret until it is confirmed; it replaces an unconfirmed one. */
  enrolTotp(
    accountId: string,
    userId: string,
    encryptedSecret: string,
  ): Promise<'enrolled' | 'two_factor_already_enrolled' | 'user_not_found'>
  /** Confirms the secret by a code of this time step, and stores the first recovery codes. */
  confirmTotp(
    accountId: string,
    userId: string,
    encryptedSecret: string,
    step: number,
    at: number,
    recoveryCodeHashes: string[],
    event: NewEvent<'two_factor.enrolled'>,
  ): Promise<boolean>
  /** Uses up a time step of a confirmed secret; returns false when it or a later one has been used. */
  useTotpStep(accountId: string, userId: string, step: number): Promise<boolean>
  enableEmail(
    accountId: string,
    userId: string,
    event: NewEvent<'two_factor.enrolled'>,
  ): Promise<'enabled' | 'unchanged' | 'user_not_found'>
  replaceRecoveryCodes(
    accountId: string,
    userId: string,
    hashes: string[],
    event: NewEvent<'two_factor.recovery_codes_renewed'>,
  ): Promise<boolean>
  /**
   * Uses up a code and the challenge that it answers. If several calls use the same challenge or the same code at once,
   * one succeeds and the others change nothing.
   *
   * @param challengeHash null: it answers none
   */
  useRecoveryCode(
    accountId: string,
    userId: string,
    hash: string,
    challengeHash: string | null,
  ): Promise<'used' | 'wrong' | 'challenge_invalid'>
  /** Removes every MFA factor of a user except passkeys that sign in on their own; returns whether there was one. */
  remove(accountId: string, userId: string, event: NewEvent<'two_factor.removed'>): Promise<boolean>
  /**
   * Writes nothing if the user is gone or inactive, has another password, or no longer what was shown: returns whether it
   * was written.
   */
  createChallenge(accountId: string, challenge: NewChallenge): Promise<boolean>
  /** Finds a challenge that has not expired. */
  findChallenge(accountId: string, hash: string, now: number): Promise<FoundChallenge | undefined>
  /** Uses up one of the tries of a live challenge. */
  tryChallenge(accountId: string, hash: string, now: number): Promise<ChallengeState | undefined>
  /**
   * Uses up one of the e-mails of a live challenge, if the user still has the address that the code goes to, and stores the
   * code's hash; returns the user's id.
   */
  mailChallenge(
    accountId: string,
    hash: string,
    code: { emailCodeHash: string; mailedTo: string },
    now: number,
  ): Promise<string | undefined>
  /**
   * Uses up a challenge to enrol, and stores the factor that answered it, with the first recovery codes. Of several
   * concurrent calls one succeeds. Writes nothing when the challenge has ended, as it does with the user's credentials, or
   * the user has a second factor by now (after a mailed code: other than codes by e-mail), or another secret.
   */
  enrolByChallenge(
    accountId: string,
    challenge: { hash: string; userId: string; isByMail: boolean },
    factor: ProvedFactor,
    at: number,
    recoveryCodeHashes: string[],
    event: NewEvent<'two_factor.enrolled'>,
  ): Promise<boolean>
  /** Uses up a challenge, for a session; of several concurrent calls one succeeds. */
  answerChallenge(accountId: string, hash: string): Promise<boolean>
}
