import type { ImportError } from './import-record.ts'
import type { ImportProgress } from './store.ts'

/** The counts cover the whole import: this run, and the earlier runs that it continues. */
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
  /** How many invitations this run sent; in a dry run: how many it would send */
  invited: number
  /** The users of this run who got no invitation, and why: the first 1,000. They are imported. */
  uninvited: ImportError[]
  /** The record that ended the import early; null: none */
  stoppedAtLine: number | null
  /** The part of the counts that earlier runs of this import did; null: this run continued none */
  earlier: ImportProgress | null
  /** The first 1,000 of this run; `skipped` counts all. Conflicts that `onConflict` skips are not errors. */
  errors: ImportError[]
}
