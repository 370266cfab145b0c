import type { NewEvent } from '../events/new-event.ts'

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
}
