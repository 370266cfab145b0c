import type { ImportError } from './import-record.ts'

export interface ImportResult {
  /** How many users were created */
  imported: number
  /** How many records updated existing users */
  updated: number
  skipped: number
  /** How many of the skipped records had a taken e-mail or id */
  conflicts: number
  /** How many of the imported users have no password: they sign in after a reset */
  withoutPassword: number
  /** The record that ended the import early; null: none */
  stoppedAtLine: number | null
  /** The first 1,000; `skipped` counts all. Conflicts that `onConflict` skips are not errors. */
  errors: ImportError[]
}
