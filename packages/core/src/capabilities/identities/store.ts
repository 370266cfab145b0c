import type { StoredUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { FirstProofEvents } from '../users/first-proof-events.ts'
import type { Credentials, NewUserRecord } from '../users/store.ts'

// Times are milliseconds since the epoch.

/** Who somebody is at an issuer: compared character by character. */
export interface ExternalName {
  issuer: string
  subject: string
}

export interface IdentityRecord extends ExternalName {
  id: string
  createdAt: number
  /** When it last signed the user in; null: never */
  lastUsedAt: number | null
}

export interface NewIdentityRecord extends ExternalName {
  id: string
  userId: string
  createdAt: number
}

/** With a record: the user has had it before. */
export type LinkOutcome =
  | 'linked'
  | 'user_not_found'
  | 'identity_taken'
  | 'identity_limit_reached'
  | IdentityRecord

/** A user who is found by an identity. */
export interface IdentityCredentials extends Credentials {
  identityId: string
}

/** Links an identity to the user who has an address. */
export interface LinkByEmail {
  identity: NewIdentityRecord
  email: string
  /** Whether the token calls the address verified, so that it is from now on */
  isVerified: boolean
  maximum: number
}

/** What is told of such a link. `revoked`: the credentials that the user had have ended. */
export interface LinkByEmailEvents extends FirstProofEvents {
  linked(user: StoredUser, revoked: boolean): NewEvent<'identity.linked'>
  verified(user: StoredUser): NewEvent<'user.email_verified'>
}

export type LinkByEmailOutcome =
  | 'user_not_found'
  | 'identity_taken'
  | 'identity_limit_reached'
  | { user: StoredUser; passwordHash: string | null; tokensNotBefore: number; events: NewEvent[] }

/** A user who is made together with an identity. */
export interface NewIdentifiedUser {
  user: NewUserRecord
  identity: NewIdentityRecord
  /** With `user.email_verified` the address is noted as verified. */
  events: [NewEvent<'user.created'>, ...NewEvent<'identity.linked' | 'user.email_verified'>[]]
}

export interface IdentityStore {
  /** Oldest first. */
  list(accountId: string, userId: string): Promise<IdentityRecord[]>
  /** Of several at once that link the same identity to different users, one succeeds. */
  link(
    accountId: string,
    identity: NewIdentityRecord,
    write: { maximum: number; event: NewEvent<'identity.linked'> },
  ): Promise<LinkOutcome>
  /** Answers with the event; undefined where the user has no such identity. */
  unlink(
    accountId: string,
    userId: string,
    identityId: string,
    eventOf: (identity: IdentityRecord) => NewEvent<'identity.unlinked'>,
  ): Promise<NewEvent<'identity.unlinked'> | undefined>
  /** Finds the user of an identity, with what signing in needs to know. */
  findCredentials(
    accountId: string,
    issuer: string,
    subject: string,
  ): Promise<IdentityCredentials | undefined>
  /**
   * Links an identity to a user who has this address. Where nobody has proved that the address is this user's, somebody else
   * may have registered it: then password, second factors, passkeys, sessions, challenges, e-mail tokens and other identities
   * end. A second factor keeps the identity from being linked, but where the token calls an address verified that was not before.
   */
  linkByEmail(
    accountId: string,
    link: LinkByEmail,
    events: LinkByEmailEvents,
  ): Promise<LinkByEmailOutcome>
  createUser(
    accountId: string,
    created: NewIdentifiedUser,
  ): Promise<'created' | 'email_taken' | 'identity_taken'>
  /** Notes that an identity has signed its user in. */
  noteUse(accountId: string, identityId: string, at: number): Promise<void>
}
