import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface SigningKeyRecord {
  /** The key id, `kid` in a token's header */
  id: string
  algorithm: string
  /** Public JWK as JSON; for HS256 empty */
  publicJwk: string
  /** Private JWK as JSON, encrypted */
  encryptedPrivateJwk: string
  createdAt: number
  /** When it stopped signing; null while it is the active key of its algorithm */
  retiredAt: number | null
  /** How long a token that it signs can be accepted at most, in seconds, whichever process signs */
  tokenLifeSeconds: number
}

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>
  /** Adds an active key, unless its algorithm has one already; answers whether it did. */
  addFirst(key: SigningKeyRecord, event: NewEvent<'signing_key.created'>): Promise<boolean>
  /** Retires the active key and adds the new one; answers false, and changes nothing, when it is not active any more. */
  rotate(
    key: SigningKeyRecord,
    activeKeyId: string,
    retiredAt: number,
    event: NewEvent<'signing_key.rotated'>,
  ): Promise<boolean>
  /** Changes nothing, and answers false, when it is not active. */
  retire(keyId: string, retiredAt: number, event: NewEvent<'signing_key.retired'>): Promise<boolean>
  /** Answers whether there was such a key. */
  remove(keyId: string, event: NewEvent<'signing_key.removed'>): Promise<boolean>
  /** Removes the retired keys whose last token was dead at that time. */
  deleteExpired(at: number): Promise<void>
  /** Notes that tokens of a key live so long from now on, if they have lived shorter. */
  raiseTokenLife(keyId: string, seconds: number): Promise<void>
  /** Stores the private part under another encryption, unless it has changed meanwhile. */
  reencrypt(keyId: string, oldEncrypted: string, newEncrypted: string): Promise<void>
}
