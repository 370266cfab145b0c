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

export interface ImportBatch {
  users: NewUserRecord[]
  importedAt: number
  /** How far the import from a source has come with this batch */
  progress: { source: string; after: (taken: number) => ImportProgress } | undefined
  /** Whether nothing is stored when an e-mail is taken */
  isAllOrNothing: boolean
}

export interface ExportedUser extends VersionedUser {
  passwordHash: string | null
}

export interface TransferRepository {
  findImport(accountId: string, source: string): Promise<ImportProgress | undefined>
  /**
   * Stores a batch in the order of its ids, and the progress with it; answers with the ids whose e-mails were taken,
   * which are left out.
   */
  importUsers(accountId: string, batch: ImportBatch): Promise<string[] | 'account_not_found'>
  /** Forgets how far an import has come. */
  endImport(accountId: string, source: string): Promise<void>
  /** Which of the e-mails users of the account have. */
  findTakenEmails(accountId: string, emails: string[]): Promise<string[]>
  /** The next users behind an id, in creation order. */
  exportUsers(accountId: string, afterId: string | null, limit: number): Promise<ExportedUser[]>
}
