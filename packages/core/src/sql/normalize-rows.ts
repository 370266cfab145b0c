import type { Database } from './database.ts'

type ColumnOf<Table> = Table extends unknown ? keyof Table & string : never
type ValueOf<Table, Name> = Table extends unknown
  ? Name extends keyof Table
    ? Table[Name]
    : never
  : never
type Tables = Database[keyof Database]

/** The columns that hold a number in every table that has them. A flag is none: SQLite has 0 and 1 for it. */
type NumberColumn = {
  [Name in ColumnOf<Tables>]: [NonNullable<ValueOf<Tables, Name>>] extends [number] ? Name : never
}[ColumnOf<Tables>]

/** Does not compile when a column is missing, or when a name is a number in one table and a text in another. */
const numberColumns = {
  applied_at: true,
  attempt: true,
  attempt_count: true,
  attempted_at: true,
  attempts: true,
  conflicts: true,
  counter: true,
  created_at: true,
  delta: true,
  disabled_at: true,
  duration_ms: true,
  ends_at: true,
  expires_at: true,
  failing_since: true,
  folded: true,
  imported: true,
  last_position: true,
  last_used_at: true,
  lease_until: true,
  mails_left: true,
  max_age_seconds: true,
  max_lifetime_seconds: true,
  next_attempt_at: true,
  points: true,
  position: true,
  previous_expires_at: true,
  purged_position: true,
  records: true,
  refreshed_at: true,
  refreshes: true,
  replaced_at: true,
  retired_at: true,
  revoked_at: true,
  signs_at: true,
  skipped: true,
  slot: true,
  status: true,
  token_life_seconds: true,
  tokens_not_before: true,
  totp_confirmed_at: true,
  totp_last_step: true,
  tries_left: true,
  unreplaced_expires_at: true,
  updated: true,
  updated_at: true,
  verified_at: true,
  version: true,
  window_ends_at: true,
  window_refreshes: true,
  without_password: true,
} satisfies Record<NumberColumn, true>

/** The columns that hold a flag. */
type FlagColumn = {
  [Name in ColumnOf<Tables>]: [NonNullable<ValueOf<Tables, Name>>] extends [number | string]
    ? never
    : [NonNullable<ValueOf<Tables, Name>>] extends [boolean | number]
      ? Name
      : never
}[ColumnOf<Tables>]

/** Does not compile when a column is missing. */
const flagColumns = {
  backed_up: true,
  by_user: true,
  client_id_as_audience: true,
  email_enabled: true,
  is_active: true,
  is_synced: true,
  link_by_email: true,
  sign_in: true,
  trust_unverified_email: true,
} satisfies Record<FlagColumn, true>

/** What our statements compute, by the names that they give to it; a test sees that none is missing. */
const computedNumbers = [
  'account_disabled_at',
  'created',
  'day',
  'failed',
  'firstKept',
  'held',
  'lastPosition',
  'left',
  'number',
  'oldest',
  'oldestPendingAt',
  'oldestPlacedAt',
  'passkey_count',
  'pending',
  'place',
  'purgedPosition',
  'recovery_codes_left',
  'rows',
  'size',
  'succeeded',
  'total',
  'until',
  'users',
  'waiting',
]

const computedFlags = ['hasPending']

const numbers = namesOf(numberColumns, computedNumbers)
const flags = namesOf(flagColumns, computedFlags)

/** A statement hands a column on under its own name or under that of the field. */
function namesOf(columns: object, computed: readonly string[]): ReadonlySet<string> {
  const names = [...Object.keys(columns), ...computed]
  return new Set(
    names.flatMap((name) => [
      name,
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    ]),
  )
}

/**
 * Makes of rows that came through somebody else's driver what our own drivers answer with. Drivers differ in three things:
 * a number is a number, a bigint, a text or an object (a decimal), a flag is a flag, a number or a text, and JSON is text or
 * parsed. Ours are numbers that JavaScript can hold, flags, and JSON as text. Texts and ids are the same everywhere.
 */
export function normalizeRows(rows: readonly unknown[]): unknown[] {
  return rows.map(normalizeRow)
}

function normalizeRow(row: unknown): Record<string, unknown> {
  const normal: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(Object(row))) normal[name] = toOurs(name, value)
  return normal
}

function toOurs(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (isNumber(name)) return Number(value)
  if (flags.has(name)) return toFlag(value)
  if (typeof value === 'bigint') return Number(value)
  // Nothing else of ours is an object: times are numbers, and there are no bytes.
  return typeof value === 'object' ? JSON.stringify(value) : value
}

function isNumber(name: string): boolean {
  // A count of a table's rows is named after the table.
  return numbers.has(name) || name.startsWith('clientele_')
}

function toFlag(value: unknown): boolean {
  return typeof value === 'string' ? ['t', 'true', '1'].includes(value) : Boolean(value)
}
