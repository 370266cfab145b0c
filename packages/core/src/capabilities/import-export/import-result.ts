import type { ImportError } from './import-record.ts'

export interface ImportResult {
  /** How many users are new */
  imported: number
  /** How many records changed users that were there already */
  updated: number
  skipped: number
  /** How many of the skipped were left out because their e-mail or id was taken */
  conflicts: number
  /** How many of the imported came without a password: they sign in after a reset */
  withoutPassword: number
  /** The record that ended the import before its end; null when none did */
  stoppedAtLine: number | null
  /** The first 1,000; `skipped` counts all of them. Conflicts are no errors where they are skipped by `onConflict`. */
  errors: ImportError[]
}
