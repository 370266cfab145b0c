import type { Profile } from '../../user-model/client-user.ts'
import type { OptionalFieldName, UserFieldName } from '../../user-model/fields.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

type ImportedProfile = Omit<Profile, OptionalFieldName> & {
  [Name in OptionalFieldName]?: Profile[Name] | undefined
}

/** A user as an import brings it. What is undefined was not said: a new user gets the default, a known one keeps it. */
export interface ImportedUser extends ImportedProfile {
  /** What a new user gets */
  id: string
  /** Whether the record itself names the id, so that the user who has it is meant */
  namesId: boolean
  isActive?: boolean | undefined
  passwordHash: string | undefined
  createdAt?: number | undefined
  updatedAt?: number | undefined
  /** Since when the address is verified; true: since the import, if not longer */
  emailVerified?: number | boolean | undefined
}

/** A record that is left out, because its e-mail or id is another user's. */
export interface ImportConflict {
  /** Its place in the batch */
  index: number
  code: 'email_taken' | 'id_taken'
}

export interface ImportOutcome {
  conflicts: ImportConflict[]
  /** How many records changed users that were there already */
  updated: number
  /** How many new users have no password */
  withoutPassword: number
  /** How many of its users the batch has dealt with, from the first on; undefined: all. The others come again. */
  settled?: number
  /** What was written with the batch; none where nothing was stored */
  events?: NewEvent[]
}

/** A user whom a batch has written. */
export interface WrittenUser {
  user: StoredUser
  isNew: boolean
  /** What of a user who was there is other than before */
  changed: (UserFieldName | 'password')[]
}

/** How far an import from one source has come. */
export interface ImportProgress {
  /** How many records were read, good and bad ones */
  records: number
  imported: number
  updated: number
  skipped: number
  /** Of the skipped, those whose e-mail or id was taken */
  conflicts: number
  /** Of the imported, those without a password */
  withoutPassword: number
}

export interface ImportBatch {
  users: ImportedUser[]
  importedAt: number
  /** How far the import from a source has come with this batch */
  progress: { source: string; after: (outcome: ImportOutcome) => ImportProgress } | undefined
  /** Whether a user who has the e-mail or the id already gets the record's values */
  updatesKnown: boolean
  /** Whether nothing is stored when a record would have to be left out */
  isAllOrNothing: boolean
  /** The events of a batch that stores or changes these users, who come in the order of their ids */
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
   * Stores a batch, and the progress with it; of users who have e-mails or ids in common, a few. Another password, or being deactivated, ends what it
   * ends elsewhere.
   */
  importBatch(accountId: string, batch: ImportBatch): Promise<ImportOutcome | 'account_not_found'>
  /** Forgets how far an import has come. */
  endImport(accountId: string, source: string): Promise<void>
  /** The users of the account that have one of the e-mails or ids. */
  findTaken(
    accountId: string,
    names: { emails: string[]; ids: string[] },
  ): Promise<{ id: string; email: string }[]>
  /** The next users behind an id, in creation order. */
  exportBatch(accountId: string, afterId: string | null, limit: number): Promise<ExportedUser[]>
}
