import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface MfaFactors {
  /** Encrypted; null when none is enrolled */
  encryptedTotpSecret: string | null
  isTotpConfirmed: boolean
  isEmailEnabled: boolean
  recoveryCodesLeft: number
  /** How many of the user's passkeys are second factors */
  passkeys: number
}

export interface NewChallenge {
  hash: string
  userId: string
  /** How the sign-in began (RFC 8176) */
  amr: string[]
  passwordHash: string | null
  tries: number
  mails: number
  expiresAt: number
}

export interface ChallengeState {
  userId: string
  amr: string[]
  passwordHash: string | null
  emailCodeHash: string | null
  /** The address that the code went to */
  mailedTo: string | null
}

export interface MfaStore {
  find(accountId: string, userId: string): Promise<MfaFactors | undefined>
  /** Keeps a TOTP secret until it is confirmed, in the place of one that was not. */
  enrolTotp(
    accountId: string,
    userId: string,
    encryptedSecret: string,
  ): Promise<'enrolled' | 'two_factor_already_enrolled' | 'user_not_found'>
  /** Confirms the secret with a code of this time step, and stores the first recovery codes. */
  confirmTotp(
    accountId: string,
    userId: string,
    encryptedSecret: string,
    step: number,
    at: number,
    recoveryCodeHashes: string[],
    event: NewEvent<'two_factor.enrolled'>,
  ): Promise<boolean>
  /** Uses a time step of a confirmed secret up; answers false when it, or a later one, has been used. */
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
   * Uses a code up, and with it the challenge that it answers. Of several at once, for one challenge or of one code, one
   * succeeds, and the others change nothing.
   */
  useRecoveryCode(
    accountId: string,
    userId: string,
    hash: string,
    challengeHash: string,
  ): Promise<'used' | 'wrong' | 'challenge_invalid'>
  /** Removes every MFA factor of a user, passkeys that sign in by themselves excepted; answers whether there was one. */
  remove(accountId: string, userId: string, event: NewEvent<'two_factor.removed'>): Promise<boolean>
  createChallenge(accountId: string, challenge: NewChallenge): Promise<boolean>
  /** Finds a challenge while it lives. */
  findChallenge(
    accountId: string,
    hash: string,
    now: number,
  ): Promise<{ userId: string; expiresAt: number } | undefined>
  /** Takes one of the tries of a live challenge. */
  tryChallenge(accountId: string, hash: string, now: number): Promise<ChallengeState | undefined>
  /** Takes one of the mails of a live challenge and keeps what the mailed code hashes to; answers with the user's id. */
  mailChallenge(
    accountId: string,
    hash: string,
    emailCodeHash: string,
    now: number,
  ): Promise<string | undefined>
  /** Uses a challenge up; of several at once, one succeeds. */
  endChallenge(accountId: string, hash: string): Promise<boolean>
}
