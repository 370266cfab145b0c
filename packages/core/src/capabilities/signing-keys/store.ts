import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface SigningKeyRecord {
  /** The key id, `kid` in a token's header */
  id: string
  algorithm: string
  /** Public JWK as JSON */
  publicJwk: string
  /** Private JWK as JSON, encrypted */
  encryptedPrivateJwk: string
  /** Names the secret that it is encrypted under */
  encryptedUnder: string
  createdAt: number
  /** When it starts to sign: until then it is only published */
  signsAt: number
  /** When it stops signing; null while it is the latest key of its algorithm */
  retiredAt: number | null
  /** The maximum lifetime of a token that it signs, in seconds, over all processes */
  tokenLifeSeconds: number
}

export interface SigningKeyStore {
  /** Every key of the account, oldest first. */
  list(accountId: string): Promise<SigningKeyRecord[]>
  /** Adds the latest key of its algorithm, unless there is one already; returns whether it did. */
  addFirst(
    accountId: string,
    key: SigningKeyRecord,
    event: NewEvent<'signing_key.created'>,
  ): Promise<boolean | 'account_not_found'>
  /**
   * Adds the latest key of its algorithm: when it starts to sign, the others stop. Returns false, and changes nothing,
   * when `latestId` is not the latest.
   */
  rotate(
    accountId: string,
    key: SigningKeyRecord,
    latestId: string,
    event: NewEvent<'signing_key.rotated'>,
  ): Promise<boolean>
  /** Returns false, and changes nothing, when it is retired already. */
  retire(
    accountId: string,
    keyId: string,
    retiredAt: number,
    event: NewEvent<'signing_key.retired'>,
  ): Promise<boolean>
  /** Returns whether there was such a key. */
  remove(accountId: string, keyId: string, event: NewEvent<'signing_key.removed'>): Promise<boolean>
  /** Records the lifetime of a key's tokens from now on, if it is longer than before. */
  raiseTokenLife(accountId: string, keyId: string, seconds: number): Promise<void>
  /** The accounts that have keys, after that id, sorted by id. */
  listAccounts(after: string, limit: number): Promise<string[]>
}
