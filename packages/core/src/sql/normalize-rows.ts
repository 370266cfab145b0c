import type { Column, Table } from './tables/column.ts'
import { tables } from './tables/tables.ts'

/** The names of the columns of these kinds. A name is of one kind in every table: a test sees that. */
function columnsOf(...kinds: readonly string[]): string[] {
  return Object.values<Table>(tables).flatMap(({ columns }) =>
    Object.entries<Column>(columns).flatMap(([name, { kind }]) =>
      kinds.includes(kind) ? [name] : [],
    ),
  )
}

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

const numbers = namesOf([...columnsOf('time', 'counter'), ...computedNumbers])
const flags = namesOf([...columnsOf('flag'), ...computedFlags])

/** A statement hands a column on under its own name or under that of the field. */
function namesOf(names: readonly string[]): ReadonlySet<string> {
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
