import type { StoredUser } from '../../user-model/stored-user.ts'
import type { Account } from '../accounts/account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

/** Whether a passkey signs in on its own or in addition to the password. */
export const passkeyUses = ['first_factor', 'second_factor'] as const
export type PasskeyUse = (typeof passkeyUses)[number]

export interface NewPasskeyRecord {
  id: string
  userId: string
  /** The id that the authenticator has given it, in base64url */
  credentialId: string
  /** The public key as COSE (RFC 9052), in base64url */
  publicKey: string
  /** How often it was used, by the authenticator's own counter */
  counter: number
  rpId: string
  name: string
  use: PasskeyUse
  transports: string[]
  /** Whether it may be on several devices, which share no counter */
  isSynced: boolean
  backedUp: boolean
  createdAt: number
}

export interface PasskeyRecord extends NewPasskeyRecord {
  lastUsedAt: number | null
}

/** A passkey and its user, with the data that signing in needs. */
export interface PasskeyHolder {
  passkey: PasskeyRecord
  user: StoredUser
  passwordHash: string | null
  /** When the user's tokens were last revoked */
  tokensNotBefore: number
}

/** `log_in_as`: as the user who has the given e-mail at the end. `log_in`: as the owner of the passkey */
export type CeremonyPurpose = 'enrol' | 'log_in_as' | 'log_in'

/** A ceremony that began with a response of options. */
export interface Ceremony {
  purpose: CeremonyPurpose
  /** Who enrols; null: a sign-in */
  userId: string | null
  /** The given e-mail, encrypted under the challenge */
  encryptedEmail: string | null
  /** Whether a token of the user's came with the request */
  isByUser: boolean
  /** The session of that token; null: there was no token, or one of another issuer */
  sessionId: string | null
}

/** The data that the write of an enrolment checks and records. */
export interface EnrolmentWrite {
  maximum: number
  /** When the user's tokens were last revoked, as read before the ceremony was used up */
  tokensNotBefore: number
  /** The session that began the enrolment, if one did, must still live at this time. */
  session: { id: string; now: number } | undefined
  event: NewEvent<'passkey.enrolled'>
}

export interface NewCeremony extends Ceremony {
  hash: string
  expiresAt: number
}

/** The data that each use of a passkey updates. */
export interface PasskeyUseNote {
  counter: number
  backedUp: boolean
  at: number
}

export type EnrolmentOutcome =
  | 'enrolled'
  | 'user_not_found'
  | 'challenge_invalid'
  | 'passkey_taken'
  | 'passkey_limit_reached'

export interface PasskeyStore {
  /**
   * Changes the account's settings. While passkeys of another `rpId` are enrolled, this needs `force`. Returns the
   * event; undefined when there is no such account.
   */
  configure(
    accountId: string,
    settings: PasskeySettings,
    isForced: boolean,
    eventOf: (account: Account) => NewEvent<'account.updated'>,
  ): Promise<NewEvent | 'passkeys_enrolled' | undefined>
  /** Oldest first. */
  list(accountId: string, userId: string): Promise<PasskeyRecord[]>
  /** The credential ids of the passkeys with which the user of an address signs in on their own at that site */
  listByEmail(accountId: string, email: string, rpId: string): Promise<string[]>
  findByCredential(accountId: string, credentialId: string): Promise<PasskeyHolder | undefined>
  /**
   * If several calls enrol the same credential at once, one succeeds. If the user's ceremonies were ended since
   * `tokensNotBefore` was read, or the session has ended, this one fails, too.
   */
  enrol(
    accountId: string,
    passkey: NewPasskeyRecord,
    write: EnrolmentWrite,
  ): Promise<EnrolmentOutcome>
  /** Returns the changed passkey; undefined when the user has none with this id. */
  rename(
    accountId: string,
    userId: string,
    passkeyId: string,
    name: string,
    event: NewEvent<'passkey.renamed'>,
  ): Promise<PasskeyRecord | undefined>
  remove(
    accountId: string,
    userId: string,
    passkeyId: string,
    event: NewEvent<'passkey.removed'>,
  ): Promise<boolean>
  /**
   * Records a use. Returns false when the passkey was removed, or when it is bound to one device and its counter has
   * not grown: of two uses with the same counter one succeeds.
   */
  noteUse(accountId: string, passkeyId: string, use: PasskeyUseNote): Promise<boolean>
  /** Returns false when the user no longer exists. */
  createCeremony(accountId: string, ceremony: NewCeremony): Promise<boolean>
  /** Uses up a ceremony with one of these purposes; of several concurrent calls one succeeds. */
  takeCeremony(
    accountId: string,
    hash: string,
    purposes: readonly CeremonyPurpose[],
    now: number,
  ): Promise<Ceremony | undefined>
}
