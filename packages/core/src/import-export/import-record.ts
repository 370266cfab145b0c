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

/** The members that a record can have, in the order in which an export writes them. */
export const importColumns = [
  'id',
  'email',
  'name',
  'roles',
  'metadata',
  'is_active',
  'email_verified',
  'created_at',
  'updated_at',
  'password',
  'password_hash',
] as const
