import type { StoredUser } from '../../user-model/stored-user.ts'
import type { Account } from '../accounts/account.ts'
import type { PasskeySettings } from '../accounts/passkey-settings.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

/** Whether a passkey signs in by itself, or stands beside the password. */
export const passkeyUses = ['first_factor', 'second_factor'] as const
export type PasskeyUse = (typeof passkeyUses)[number]

export interface NewPasskeyRecord {
  id: string
  userId: string
  /** What the authenticator calls it, in base64url */
  credentialId: string
  /** COSE (RFC 9052), in base64url */
  publicKey: string
  /** How often it was used, as the authenticator counts */
  counter: number
  rpId: string
  name: string
  use: PasskeyUse
  transports: string[]
  /** Whether it may be on several devices: then nobody counts for all of them */
  isSynced: boolean
  backedUp: boolean
  createdAt: number
}

export interface PasskeyRecord extends NewPasskeyRecord {
  lastUsedAt: number | null
}

/** A passkey and whose it is, with what signing in needs to know. */
export interface PasskeyHolder {
  passkey: PasskeyRecord
  user: StoredUser
  passwordHash: string | null
  /** When the user's tokens were last revoked */
  tokensNotBefore: number
}

/** `log_in_as`: as the user who has an e-mail, or as nobody where none has it. `log_in`: as whoever has the passkey */
export type CeremonyPurpose = 'enrol' | 'log_in_as' | 'log_in'

/** What was begun by handing out options. */
export interface Ceremony {
  purpose: CeremonyPurpose
  userId: string | null
  /** The e-mail that was given, encrypted */
  encryptedEmail: string | null
  /** Whether a token of the user's came with it */
  isByUser: boolean
}

export interface NewCeremony extends Ceremony {
  hash: string
  expiresAt: number
}

/** What a passkey says of itself each time. */
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
   * Changes the account's settings. While passkeys of another `rpId` are enrolled this is refused, unless it is forced.
   * Answers with the event; undefined when there is no such account.
   */
  configure(
    accountId: string,
    settings: PasskeySettings,
    isForced: boolean,
    eventOf: (account: Account) => NewEvent<'account.updated'>,
  ): Promise<NewEvent | 'passkeys_enrolled' | undefined>
  /** Oldest first. */
  list(accountId: string, userId: string): Promise<PasskeyRecord[]>
  /** Finds the user who has an address, with the ids of its passkeys that sign in at that site, in one query. */
  listByEmail(
    accountId: string,
    email: string,
    rpId: string,
  ): Promise<{ userId: string; credentialIds: string[] } | undefined>
  findByCredential(accountId: string, credentialId: string): Promise<PasskeyHolder | undefined>
  /**
   * Of several at once that enrol the same credential, one succeeds. `tokensNotBefore`: when the user's tokens were last
   * revoked, as of before the ceremony was used up. What has ended ceremonies since ends this one as well.
   */
  enrol(
    accountId: string,
    passkey: NewPasskeyRecord,
    write: { maximum: number; tokensNotBefore: number; event: NewEvent<'passkey.enrolled'> },
  ): Promise<EnrolmentOutcome>
  /** Answers with the passkey as it is now; undefined where the user has none with this id. */
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
   * Notes a use. Answers false where the passkey is gone, or where it is on one device and its counter has not grown:
   * of two uses with the same count one succeeds.
   */
  noteUse(accountId: string, passkeyId: string, use: PasskeyUseNote): Promise<boolean>
  /** Answers false where the user does not exist any more. */
  createCeremony(accountId: string, ceremony: NewCeremony): Promise<boolean>
  /** Uses a ceremony up that serves one of these purposes; of several at once, one succeeds. */
  takeCeremony(
    accountId: string,
    hash: string,
    purposes: readonly CeremonyPurpose[],
    now: number,
  ): Promise<Ceremony | undefined>
}
