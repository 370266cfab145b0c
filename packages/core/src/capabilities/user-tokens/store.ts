import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface UserTokenRecord {
  id: string
  name: string
  scopes: string[]
  prefix: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

export interface NewUserTokenRecord extends Omit<UserTokenRecord, 'revokedAt' | 'lastUsedAt'> {
  userId: string
  hash: string
}

export type CreateUserTokenOutcome =
  | 'created'
  | 'user_not_found'
  | 'user_inactive'
  | 'user_token_limit_reached'

export interface UserTokenStore {
  /** Deletes expired and revoked tokens of the user, too, if there are more than the maximum. */
  create(
    accountId: string,
    token: NewUserTokenRecord,
    maximum: number,
    event: NewEvent<'user_token.created'>,
  ): Promise<CreateUserTokenOutcome>
  /** Lists the tokens that are not revoked, oldest first: also those that have expired. */
  list(accountId: string, userId: string): Promise<UserTokenRecord[]>
  /** Lists the tokens that are stored, oldest first: also those that have expired or are revoked. */
  listStored(accountId: string, userId: string): Promise<UserTokenRecord[]>
  /** Returns undefined if the user has no such token, or it is revoked. */
  rename(
    accountId: string,
    userId: string,
    tokenId: string,
    name: string,
    event: NewEvent<'user_token.updated'>,
  ): Promise<UserTokenRecord | undefined>
  /** Returns whether there was such a token that was not revoked. */
  revoke(
    accountId: string,
    userId: string,
    tokenId: string,
    revokedAt: number,
    event: NewEvent<'user_token.revoked'>,
  ): Promise<boolean>
  /** Revokes all tokens of a user; undefined: there was none. */
  revokeAll(
    accountId: string,
    userId: string,
    revokedAt: number,
    eventOf: (tokenIds: string[]) => NewEvent<'user_token.revoked'>,
  ): Promise<NewEvent<'user_token.revoked'> | undefined>
  /** Writes only if the last recorded use is more than a minute ago. */
  noteUse(accountId: string, tokenId: string, usedAt: number): Promise<void>
}
