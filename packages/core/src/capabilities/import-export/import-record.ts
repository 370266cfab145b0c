import { columnOf, userFieldNames } from '../../user-model/fields.ts'

/** A record: its value, or why it could not be read. */
export interface ImportRecord {
  /** Its line in the file, from 1 */
  line: number
  value?: unknown
  fault?: string
}

export interface ImportError {
  line: number
  code: string
  message: string
}

/** The columns of a file, as an import with `fromWire` takes them. */
export const importColumns = [
  ...userFieldNames.map(columnOf),
  'email_verified',
  'password',
  'password_hash',
  'password_expired',
] as const
