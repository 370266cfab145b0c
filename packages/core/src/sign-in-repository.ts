import type { VersionedUser } from './users/client-user.ts'

// The part of the port that signing in needs. Times are milliseconds since the epoch.

export interface NewSessionRecord {
  id: string
  userId: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
  createdAt: number
  expiresAt: number
  refreshTokenHash: string
  /** Until when the session can be kept alive by use */
  endsAt: number
  /** With a refresh token, gives its successor */
  successorSeed: string
}

export interface SessionRecord {
  id: string
  amr: string[]
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

/** What refreshing a session needs to know of it. */
export interface SessionState {
  amr: string[]
  user: VersionedUser
  isAccountDisabled: boolean
  expiresAt: number
  endsAt: number
  successorSeed: string
  /** Of its latest refresh token */
  refreshTokenHash: string
  /** How often it has been refreshed: the position of its latest token */
  refreshes: number
  refreshedAt: number | null
  /** How many of the refreshes were in the window that ends then */
  windowRefreshes: number
  windowEndsAt: number
}

export interface RefreshRotation {
  successorHash: string
  usedAt: number
  expiresAt: number
  windowRefreshes: number
  windowEndsAt: number
}

export interface SessionRepository {
  /** Answers false, and stores nothing, when the user is gone, inactive, or has another password hash meanwhile. */
  createSession(
    accountId: string,
    session: NewSessionRecord,
    passwordHash: string | null,
  ): Promise<boolean>
  listSessions(accountId: string, userId: string, now: number): Promise<SessionRecord[]>
  /** Expired ones too. */
  findSession(accountId: string, sessionId: string): Promise<SessionState | undefined>
  /** Puts the successor in the place of the latest token, if it is this one; of several at once, one succeeds. */
  rotateRefreshToken(
    accountId: string,
    sessionId: string,
    hash: string,
    rotation: RefreshRotation,
  ): Promise<boolean>
  /** Ends one session of a user; answers whether there was one. */
  deleteSession(accountId: string, userId: string, sessionId: string): Promise<boolean>
  /** Ends every session of a user; answers with their ids. */
  deleteSessions(accountId: string, userId: string): Promise<string[]>
}

export interface MfaFactors {
  /** Sealed by the secret box; null when none is enrolled */
  encryptedTotpSecret: string | null
  isTotpConfirmed: boolean
  isEmailEnabled: boolean
  recoveryCodesLeft: number
}

export interface UserKey {
  accountId: string
  userId: string
}

export interface EncryptedTotpSecret extends UserKey {
  encrypted: string
}

export interface NewChallenge {
  hash: string
  userId: string
  passwordHash: string | null
  tries: number
  mails: number
  expiresAt: number
}

export interface ChallengeState {
  userId: string
  passwordHash: string | null
  emailCodeHash: string | null
  /** The address that the code went to */
  mailedTo: string | null
}

export interface MfaRepository {
  findMfaFactors(accountId: string, userId: string): Promise<MfaFactors | undefined>
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
  ): Promise<boolean>
  /** Uses a time step of a confirmed secret up; answers false when it, or a later one, has been used. */
  useTotpStep(accountId: string, userId: string, step: number): Promise<boolean>
  /** In the order of their users, those after that one: confirmed or not, of every account. */
  listEncryptedTotpSecrets(after: UserKey, notBeginningWith: string): Promise<EncryptedTotpSecret[]>
  /** Stores the same secrets under another encryption, where they have not changed meanwhile. */
  reencryptTotpSecrets(secrets: (EncryptedTotpSecret & { reencrypted: string })[]): Promise<void>
  enableEmailFactor(
    accountId: string,
    userId: string,
  ): Promise<'enabled' | 'unchanged' | 'user_not_found'>
  replaceRecoveryCodes(accountId: string, userId: string, hashes: string[]): Promise<boolean>
  /** Uses a code up; of several at once, one succeeds. */
  useRecoveryCode(accountId: string, userId: string, hash: string): Promise<boolean>
  /** Removes every second factor of a user; answers whether there was one. */
  removeMfaFactors(accountId: string, userId: string): Promise<boolean>
  createChallenge(accountId: string, challenge: NewChallenge, now: number): Promise<boolean>
  /** Answers with the user's id, while the challenge lives. */
  findChallenge(accountId: string, hash: string, now: number): Promise<string | undefined>
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

export type EmailTokenPurpose = 'password_reset' | 'email_verification'

export interface NewEmailToken {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  email: string
  expiresAt: number
}

export interface EmailTokenRepository {
  /** Answers false when the user is gone. */
  createEmailToken(accountId: string, token: NewEmailToken, now: number): Promise<boolean>
  findEmailToken(
    accountId: string,
    hash: string,
    purpose: EmailTokenPurpose,
    now: number,
  ): Promise<string | undefined>
  /** Uses a token up and sets the password; every session, challenge and other mailed token of the user ends. */
  resetPassword(
    accountId: string,
    hash: string,
    passwordHash: string,
    now: number,
  ): Promise<VersionedUser | undefined>
  /** Uses a token up and notes the address as verified, if the user still has it. */
  verifyEmail(accountId: string, hash: string, now: number): Promise<VersionedUser | undefined>
  /** When the address that the user has now was verified. */
  findEmailVerifiedAt(accountId: string, userId: string): Promise<number | undefined>
}

export interface RateLimitCount {
  points: number
  expiresAt: number
}

export interface RateLimitRepository {
  /** Adds to a count, or begins one that lasts until `expiresAt`; answers with what it is then. */
  addRateLimitPoints(
    accountId: string,
    key: string,
    points: number,
    now: number,
    expiresAt: number,
  ): Promise<RateLimitCount>
  findRateLimitCount(
    accountId: string,
    key: string,
    now: number,
  ): Promise<RateLimitCount | undefined>
  /** Answers whether there was such a count. */
  clearRateLimitCount(accountId: string, key: string): Promise<boolean>
}
