import type { StoredUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { FirstProofEvents } from '../users/first-proof-events.ts'
import type { Credentials, NewUserRecord } from '../users/store.ts'

// Times are milliseconds since the epoch.

/** A subject at an issuer: compared character by character. */
export interface ExternalName {
  issuer: string
  subject: string
}

export interface IdentityRecord extends ExternalName {
  id: string
  createdAt: number
  /** When it was last used to sign in; null: never */
  lastUsedAt: number | null
}

export interface NewIdentityRecord extends ExternalName {
  id: string
  userId: string
  createdAt: number
}

/** An object: the user already had the identity, and this is it. */
export type LinkOutcome =
  | 'linked'
  | 'user_not_found'
  | 'identity_taken'
  | 'identity_limit_reached'
  | IdentityRecord

/** A user who was found by an identity. */
export interface IdentityCredentials extends Credentials {
  identityId: string
}

/** What an ID token is used for: the account must still trust its issuer for that as it is written. */
export interface TrustUse {
  issuerId: string
  /** When it was changed last before the token was verified: another name or other keys make it another one. */
  issuerUpdatedAt: number
  linksByEmail: boolean
  /** Whether the token says that the address is verified */
  isVerified: boolean
}

/** Why an account trusts an ID token no more: the issuer, or the account's policy, is another by now. */
export type TrustRefusal = 'issuer_not_trusted' | 'sign_in_method_disabled'

/** Links an identity to the user with an address. If the token calls it verified, it becomes verified. */
export interface LinkByEmail {
  identity: NewIdentityRecord
  email: string
  trust: TrustUse
  maximum: number
  /** As it was when the token was compared with it */
  tokensNotBefore: number
  /** The version of the user that hooks were asked about. @default not compared */
  version?: number | undefined
}

/** The result of such a link. `revoked`: the user's earlier credentials have ended. */
export interface LinkByEmailEvents extends FirstProofEvents {
  linked(user: StoredUser, revoked: boolean): NewEvent<'identity.linked'>
  verified(user: StoredUser): NewEvent<'user.email_verified'>
}

export type LinkByEmailOutcome =
  | 'user_not_found'
  /** The user's tokens have ended since */
  | 'token_revoked'
  | 'identity_taken'
  | 'identity_limit_reached'
  /** The user is of another version than expected */
  | 'user_changed'
  | TrustRefusal
  | (Credentials & { events: NewEvent[] })

/** A user who is created together with an identity. */
export interface NewIdentifiedUser {
  user: NewUserRecord
  identity: NewIdentityRecord
  trust: TrustUse
  /** With `user.email_verified` the address becomes verified. */
  events: [NewEvent<'user.created'>, ...NewEvent<'identity.linked' | 'user.email_verified'>[]]
}

export interface IdentityStore {
  /** Oldest first. */
  list(accountId: string, userId: string): Promise<IdentityRecord[]>
  /** If several calls link the same identity to different users at once, one succeeds. */
  link(
    accountId: string,
    identity: NewIdentityRecord,
    write: { maximum: number; event: NewEvent<'identity.linked'> },
  ): Promise<LinkOutcome>
  /** Returns the event; undefined when the user has no such identity. */
  unlink(
    accountId: string,
    userId: string,
    identityId: string,
    eventOf: (identity: IdentityRecord) => NewEvent<'identity.unlinked'>,
  ): Promise<NewEvent<'identity.unlinked'> | undefined>
  /** Finds the user of an identity, with the data that signing in needs. */
  findCredentials(
    accountId: string,
    issuer: string,
    subject: string,
  ): Promise<IdentityCredentials | undefined>
  /**
   * Links an identity to the user with this address. If the address is unproven, another person may have registered it:
   * then the password, second factors, passkeys, sessions, challenges, e-mail tokens and other identities end. A user
   * with a second factor is not linked, unless the token proves an address that was unproven before.
   */
  linkByEmail(
    accountId: string,
    link: LinkByEmail,
    events: LinkByEmailEvents,
  ): Promise<LinkByEmailOutcome>
  createUser(
    accountId: string,
    created: NewIdentifiedUser,
  ): Promise<'created' | 'email_taken' | 'identity_taken' | TrustRefusal>
  /** Records that an identity was used to sign in. */
  noteUse(accountId: string, identityId: string, at: number): Promise<void>
}
