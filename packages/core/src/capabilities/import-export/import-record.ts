import { columnOf, userFieldNames } from '../../user-model/fields.ts'

/** A record as it was read: what it says, or why it could not be read. */
export interface ImportRecord {
  /** Where it stands in its file, from 1 */
  line: number
  value?: unknown
  fault?: string
}

export interface ImportError {
  line: number
  code: string
  message: string
}

/** The columns that a file can have, as an import with `fromWire` takes them. */
export const importColumns = [
  ...userFieldNames.map(columnOf),
  'email_verified',
  'password',
  'password_hash',
] as const
