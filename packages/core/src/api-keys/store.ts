import type { AccountRules } from '../accounts/account.ts'
import type { SubjectState, TokenSubject } from '../users/store.ts'
import type { ApiKey, Scope } from './api-key.ts'

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

/** What a key allows, as far as a request needs to know. */
export interface ApiKeyGrant {
  id: string
  scopes: Scope[]
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** What one look-up with a key's hash answers: the key, its account and, when one was named, the token's subject. */
export interface ApiKeyMatch {
  account: AccountRules
  isAccountDisabled: boolean
  key: ApiKeyGrant
  subject: SubjectState | undefined
}

export interface ApiKeyStore {
  create(accountId: string, key: ApiKeyRecord): Promise<'created' | 'account_not_found'>
  list(accountId: string): Promise<ApiKey[]>
  /** Answers whether the account has such a key. Revoking twice keeps the first time. */
  revoke(accountId: string, keyId: string, revokedAt: number): Promise<boolean>
  /**
   * Adds a key with the name and scopes of another, which expires at `oldExpiresAt` unless it does earlier; with
   * `expiresAt` undefined, the new key lives as long as the other was made for. Answers with undefined, and changes
   * nothing, when the account has no such key, or it is revoked or expired by then.
   */
  rotate(
    accountId: string,
    keyId: string,
    newKey: Pick<ApiKeyRecord, 'id' | 'prefix' | 'hash' | 'createdAt'> & {
      expiresAt: number | null | undefined
    },
    oldExpiresAt: number,
  ): Promise<{ name: string; scopes: Scope[]; replacedExpiresAt: number } | undefined>
  /** Writes only when the last noted use is more than a minute ago. */
  noteUse(accountId: string, keyId: string, usedAt: number): Promise<void>
  /** Finds a key by the SHA-256 of its secret, revoked and expired ones too, in one round trip. */
  findByHash(hash: string, now: number, subject?: TokenSubject): Promise<ApiKeyMatch | undefined>
}
