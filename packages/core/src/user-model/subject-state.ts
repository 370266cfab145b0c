import type { VersionedUser } from './stored-user.ts'

/** For how many milliseconds a state that was read holds while its token waits. After that it is read again. */
export const freshMs = 100

export interface SubjectState extends VersionedUser {
  /** Whether the named session exists and has not expired; true when none was named. */
  hasLiveSession: boolean
  /** Whether the named signing key exists; true when none was named. */
  hasSigningKey: boolean
  /** Tokens of other issuers that were issued up to this time are revoked. */
  tokensNotBefore: number
  /** Whether all tokens of the account's users are refused. */
  isAccountDisabled: boolean
  /** The token of the user's own that was named; undefined: another kind of token was */
  userToken?: UserTokenState
}

/** The present state of a token that belongs to a user. Times are milliseconds since the epoch. */
export interface UserTokenState {
  id: string
  name: string
  scopes: string[]
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  /** JWTs that it was exchanged for up to this time are revoked; null: none are. */
  jwtsNotBefore: number | null
}
