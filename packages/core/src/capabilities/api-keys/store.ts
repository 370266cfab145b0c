import type { UserRules } from '../../base/call/call.ts'
import type { Scope } from '../../base/call/scope.ts'
import type { TokenSubject } from '../../base/call/token-subject.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { ApiKey } from './api-key.ts'

// Times are milliseconds since the epoch.

export interface ApiKeyRecord {
  id: string
  name: string
  scopes: string[]
  prefix: string
  hash: string
  createdAt: number
  expiresAt: number | null
}

/** The rights of a key that a request needs. */
export interface ApiKeyGrant {
  id: string
  scopes: Scope[]
  expiresAt: number | null
  /** When a rotation has first replaced it */
  replacedAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** The result of a look-up by a key's hash: the key, its account and, if one was named, the token's subject. */
export interface ApiKeyMatch {
  accountId: string
  /** Undefined where a subject was named: requests about a token need no rules for users */
  rules: UserRules | undefined
  isAccountDisabled: boolean
  key: ApiKeyGrant
  subject: SubjectState | undefined
}

/** Makes the event about a user's impersonations that end. */
export type EndedOf = (userId: string, sessionIds: string[]) => NewEvent<'session.revoked'>
/** One event for each user */
export type EndedImpersonations = NewEvent<'session.revoked'>[]

export type RevokeOutcome =
  | { outcome: 'revoked' | 'unchanged'; ended: EndedImpersonations }
  | 'api_key_not_found'

export interface ApiKeyStore {
  create(
    accountId: string,
    key: ApiKeyRecord,
    event: NewEvent<'api_key.created'>,
  ): Promise<'created' | 'account_not_found'>
  list(accountId: string): Promise<ApiKey[]>
  /**
   * Revoking twice keeps the first time and writes no event of the key. The same transaction ends the impersonations that
   * the key opened, of fifty users at most.
   */
  revoke(
    accountId: string,
    keyId: string,
    revokedAt: number,
    event: NewEvent<'api_key.revoked'>,
    endedOf: EndedOf,
  ): Promise<RevokeOutcome>
  /** Ends the impersonations that the key opened of fifty more users; returns nothing when there are no more. */
  endImpersonations(
    accountId: string,
    keyId: string,
    endedOf: EndedOf,
  ): Promise<EndedImpersonations>
  /**
   * Adds a key with the name and scopes of another one, which expires at `oldExpiresAt` unless it expires earlier. With
   * `expiresAt` undefined, the new key gets the lifetime of the other one. Returns undefined, and changes nothing, when
   * the account has no such key, or it is revoked or has expired.
   */
  rotate(
    accountId: string,
    keyId: string,
    newKey: Pick<ApiKeyRecord, 'id' | 'prefix' | 'hash' | 'createdAt'> & {
      expiresAt: number | null | undefined
    },
    oldExpiresAt: number,
    eventOf: (rotated: {
      name: string
      scopes: Scope[]
      replacedKeyExpiresAt: Date
    }) => NewEvent<'api_key.rotated'>,
  ): Promise<NewEvent<'api_key.rotated'> | undefined>
  /** Writes only if the last recorded use is more than a minute ago. */
  noteUse(accountId: string, keyId: string, usedAt: number): Promise<void>
  /**
   * Finds a key by the SHA-256 of its secret, including revoked and expired keys, in one round trip (two for the first
   * look-up of a key). A database that is distributed by account calls `toAccountId`; without an account it searches all
   * servers.
   */
  findByHash(
    hash: string,
    now: number,
    subject?: TokenSubject,
    toAccountId?: () => string | undefined,
  ): Promise<ApiKeyMatch | undefined>
}
