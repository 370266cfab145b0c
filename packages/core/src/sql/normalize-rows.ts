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

/** What our statements compute, by the names that they give to it; a test sees that none is missing. */
const computedNumbers = [
  'account_disabled_at',
  'firstKept',
  'lastPosition',
  'left',
  'oldest',
  'oldestPendingAt',
  'oldestPlacedAt',
  'pending',
  'place',
  'purgedPosition',
  'recovery_codes_left',
  'rows',
  'size',
  'total',
  'users',
]

/** A statement hands a column on under its own name or under that of the field. */
const numbers: ReadonlySet<string> = new Set(
  [...Object.keys(numberColumns), ...computedNumbers].flatMap((name) => [
    name,
    name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  ]),
)

/**
 * Makes of rows that came through somebody else's driver what our own drivers answer with. Drivers differ in two things:
 * a 64-bit number is a number, a bigint or a text, and JSON is text or parsed. Ours are numbers that JavaScript can hold,
 * and JSON is text. Texts, ids and flags are the same everywhere.
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
  if (typeof value === 'string') return isNumber(name) ? Number(value) : value
  if (typeof value === 'bigint') return Number(value)
  // Nothing else of ours is an object: times are numbers, and there are no bytes.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function isNumber(name: string): boolean {
  // A count of a table's rows is named after the table.
  return numbers.has(name) || name.startsWith('clientele_')
}
