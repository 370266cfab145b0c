import type { VersionedUser } from './domain/client-user.ts'
import type { JsonObject } from './domain/json.ts'

export interface NewUserRecord {
  id: string
  email: string
  name: string
  roles: string[]
  metadata: JsonObject
  passwordHash: string | null
  isActive: boolean
  createdAt: number
}

/** How far an import from one source has come. */
export interface ImportProgress {
  /** How many records were read, good and bad ones */
  records: number
  imported: number
  skipped: number
}

export interface ExportedUser extends VersionedUser {
  passwordHash: string | null
}

export interface TransferRepository {
  findImport(accountId: string, source: string): Promise<ImportProgress | undefined>
  /**
   * Stores a batch in the order of its ids, and the progress with it; answers with the ids whose e-mails were taken.
   * `progress` null: the import is done, or keeps no account of itself.
   */
  importUsers(
    accountId: string,
    users: NewUserRecord[],
    importedAt: number,
    source: string,
    progress: ((taken: number) => ImportProgress) | null,
  ): Promise<string[] | 'account_not_found'>
  /** Which of the e-mails users of the account have. */
  findTakenEmails(accountId: string, emails: string[]): Promise<string[]>
  /** The next users behind an id, in creation order. */
  exportUsers(accountId: string, afterId: string | null, limit: number): Promise<ExportedUser[]>
}
