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
  /** Says which secret it is encrypted under */
  encryptedUnder: string
  createdAt: number
  /** From when on it signs: until then others come to know it */
  signsAt: number
  /** From when on it signs no more; null while it is the latest key of its algorithm */
  retiredAt: number | null
  /** How long a token that it signs can be accepted at most, in seconds, whichever process signs */
  tokenLifeSeconds: number
}

export interface SigningKeyStore {
  /** Every key of the account, oldest first. */
  list(accountId: string): Promise<SigningKeyRecord[]>
  /** Adds the latest key of its algorithm, unless there is one already; answers whether it did. */
  addFirst(
    accountId: string,
    key: SigningKeyRecord,
    event: NewEvent<'signing_key.created'>,
  ): Promise<boolean | 'account_not_found'>
  /**
   * Adds the latest key of its algorithm: when it begins to sign, all others end. Answers false, and changes nothing,
   * when another than `latestId` is the latest.
   */
  rotate(
    accountId: string,
    key: SigningKeyRecord,
    latestId: string,
    event: NewEvent<'signing_key.rotated'>,
  ): Promise<boolean>
  /** Changes nothing, and answers false, when it is retired already. */
  retire(
    accountId: string,
    keyId: string,
    retiredAt: number,
    event: NewEvent<'signing_key.retired'>,
  ): Promise<boolean>
  /** Answers whether there was such a key. */
  remove(accountId: string, keyId: string, event: NewEvent<'signing_key.removed'>): Promise<boolean>
  /** Notes that tokens of a key live so long from now on, if they have lived shorter. */
  raiseTokenLife(accountId: string, keyId: string, seconds: number): Promise<void>
  /** The accounts that have keys: those after that id, by their ids, so many at most. */
  listAccounts(after: string, limit: number): Promise<string[]>
}
