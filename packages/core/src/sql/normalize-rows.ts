import type { Column, Table } from './tables/column.ts'
import { tables } from './tables/tables.ts'

/** The names of the columns of these kinds. A name has the same kind in every table: a test checks that. */
function columnsOf(...kinds: readonly string[]): string[] {
  return Object.values<Table>(tables).flatMap(({ columns }) =>
    Object.entries<Column>(columns).flatMap(([name, { kind }]) =>
      kinds.includes(kind) ? [name] : [],
    ),
  )
}

/** The columns that our statements compute, by name; a test checks that none is missing. */
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

/** A statement returns a column under its own name or the field's name. */
function namesOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => [
      name,
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    ]),
  )
}

/**
 * Converts rows from a host's driver into the form of our own drivers. Drivers differ in three ways: a number is a
 * number, a bigint, a string or an object (a decimal); a flag is a boolean, a number or a string; JSON is text or
 * parsed. Our drivers return numbers, booleans and JSON as text. Strings and ids are the same everywhere.
 */
export function normalizeRows(rows: readonly unknown[]): unknown[] {
  return rows.map(normalizeRow)
}

function normalizeRow(row: unknown): Record<string, unknown> {
  const normal: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(Object(row)))
    normal[name] = normalizeValue(name, value)
  return normal
}

function normalizeValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (isNumber(name)) return Number(value)
  if (flags.has(name)) return toFlag(value)
  if (typeof value === 'bigint') return Number(value)
  // Our columns have no other objects: times are numbers, and there are no bytes.
  return typeof value === 'object' ? JSON.stringify(value) : value
}

function isNumber(name: string): boolean {
  // A count of a table's rows is named after the table.
  return numbers.has(name) || name.startsWith('clientele_')
}

function toFlag(value: unknown): boolean {
  return typeof value === 'string' ? ['t', 'true', '1'].includes(value) : Boolean(value)
}
