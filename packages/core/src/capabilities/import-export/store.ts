import type { Profile } from '../../user-model/client-user.ts'
import type { OptionalFieldName, UserFieldName } from '../../user-model/fields.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

type ImportedProfile = Omit<Profile, OptionalFieldName> & {
  [Name in OptionalFieldName]?: Profile[Name] | undefined
}

/** A stored user. */
export interface KnownUser extends StoredUser {
  passwordHash: string | null
  /** When the user's present address was verified */
  verifiedAt: number | null
}

/** An imported user. Undefined members were not given: a new user gets the default, an existing one keeps its value. */
export interface ImportedUser extends ImportedProfile {
  /** The values of a new user */
  id: string
  /** Whether the record itself has the id, so that the user with this id is meant */
  namesId: boolean
  isActive?: boolean | undefined
  passwordHash: string | undefined
  createdAt?: number | undefined
  updatedAt?: number | undefined
  /** Since when the address is verified; true: now, or an earlier time if it is known */
  emailVerified?: number | boolean | undefined
  /**
   * The stored user whom the record changes, as hooks were asked about it; null: it creates one. If somebody else has the
   * e-mail or the id by then, the record is not settled. Undefined: no hook was asked.
   */
  asked?: KnownUser | null
}

/** A record that is skipped because its e-mail or id belongs to another user. */
export interface ImportConflict {
  /** Its index in the batch */
  index: number
  code: 'email_taken' | 'id_taken'
}

export interface ImportOutcome {
  conflicts: ImportConflict[]
  /** How many records updated existing users */
  updated: number
  /** How many new users have no password */
  withoutPassword: number
  /** Of a rehearsal: how many of those are active, and could be invited */
  invitable?: number
  /** How many of its first users the batch has handled; undefined: all. The others follow in another batch. */
  settled?: number
  /** The events that were written with the batch; none if nothing was stored */
  events?: NewEvent[]
}

/** A user whom a batch has written. */
export interface WrittenUser {
  user: StoredUser
  isNew: boolean
  /** The changed members of an existing user */
  changed: (UserFieldName | 'password' | 'emailVerified')[]
}

/** The progress of an import from one source. */
export interface ImportProgress {
  /** How many records were read, valid and invalid ones */
  records: number
  imported: number
  updated: number
  skipped: number
  /** How many of the skipped records had a taken e-mail or id */
  conflicts: number
  /** How many of the imported users have no password */
  withoutPassword: number
}

export interface ImportBatch {
  users: ImportedUser[]
  importedAt: number
  /** The progress of the source's import after this batch */
  progress: { source: string; after: (outcome: ImportOutcome) => ImportProgress } | undefined
  /** Whether an existing user with the e-mail or id gets the record's values */
  updatesKnown: boolean
  /** Whether nothing is stored if a record would have to be skipped */
  isAllOrNothing: boolean
  /** The events of a batch that stores or changes these users, in the order of their ids */
  eventsOf: (users: readonly WrittenUser[]) => NewEvent[]
}

export interface ExportedUser extends VersionedUser {
  passwordHash: string | null
  /** When the address was verified */
  emailVerifiedAt: number | null
}

export interface ImportExportStore {
  findProgress(accountId: string, source: string): Promise<ImportProgress | undefined>
  /**
   * Stores a batch and its progress; if users share e-mails or ids, only the first of them. A new password or a
   * deactivation has its usual consequences.
   */
  importBatch(accountId: string, batch: ImportBatch): Promise<ImportOutcome | 'account_not_found'>
  /** Deletes the progress of an import. */
  endImport(accountId: string, source: string): Promise<void>
  /** The users of the account who have one of the e-mails or ids. */
  findTaken(
    accountId: string,
    names: { emails: string[]; ids: string[] },
  ): Promise<{ id: string; email: string }[]>
  /** These users whole, in the order of their ids. */
  findWhole(accountId: string, ids: readonly string[]): Promise<KnownUser[]>
  /** The next users after an id, in creation order. */
  exportBatch(accountId: string, afterId: string | null, limit: number): Promise<ExportedUser[]>
}
