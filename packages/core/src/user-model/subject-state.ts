import type { VersionedUser } from './stored-user.ts'

export interface SubjectState extends VersionedUser {
  /** Whether the named session exists and has not expired; true when none was named. */
  hasLiveSession: boolean
  /** Whether the named signing key exists; true when none was named. */
  hasSigningKey: boolean
  /** Tokens of other issuers that were issued up to this time are revoked. */
  tokensNotBefore: number
  /** Whether all tokens of the account's users are refused. */
  isAccountDisabled: boolean
}
