import { resolve } from 'node:path'
import { ClienteleError } from '../../base/errors.ts'
import { ConstraintViolation } from '../driver.ts'

/**
 * The SQLite result codes (https://sqlite.org/rescode.html) that we distinguish, as numbers for drivers without names
 */
const names: Record<number, string> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  26: 'SQLITE_NOTADB',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
  2579: 'SQLITE_CONSTRAINT_ROWID',
}

/** Where drivers put the number: node:sqlite, bun:sqlite, libSQL, the WebAssembly build */
const numberMembers = ['errcode', 'errno', 'rawCode', 'resultCode']
/** Where they put the name, the more exact one first: libSQL has both */
const nameMembers = ['extendedCode', 'code']

/** SQLite's own messages, for drivers that pass on nothing else */
const messages: [RegExp, string][] = [
  [/UNIQUE constraint failed/, 'SQLITE_CONSTRAINT_UNIQUE'],
  [/FOREIGN KEY constraint failed/, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [/database is locked/, 'SQLITE_BUSY'],
  [/table is locked/, 'SQLITE_LOCKED'],
]

/** Transient faults: another writer, a full disk, a file that is temporarily unreachable. */
const passingFaults = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/
/** The drivers' messages for a closed connection */
const closed = /database( connection)? is not open|is closed|closed database|been destroyed/

export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY/.test(codeOf(error) ?? '')
}

/** Whether the file, its folder or its file system is read-only. `SqliteFile` detects a replaced file. */
export function isReadOnly(error: unknown): boolean {
  return /^SQLITE_READONLY(?!_DBMOVED)/.test(codeOf(error) ?? '')
}

export function readOnlyFile(filename: string, cause: unknown): ClienteleError {
  const message = `The SQLite file ${resolve(filename)} cannot be written: it, its folder or its file system is read only for this process.`
  return new ClienteleError('configuration_invalid', message, { cause })
}

/** The name of the result code, from any driver; undefined when SQLite did not cause the fault. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // A libSQL client with one connection, which a transaction is using.
  if (Reflect.get(error, 'code') === 'TRANSACTION_ACTIVE') return 'SQLITE_BUSY'
  const named = nameMembers
    .map((name) => Reflect.get(error, name))
    .find((code) => typeof code === 'string' && /^SQLITE_./.test(code))
  // Plain SQLITE_CONSTRAINT does not say which constraint.
  if (typeof named === 'string' && named !== 'SQLITE_CONSTRAINT' && named !== 'SQLITE_ERROR')
    return named
  for (const name of numberMembers) {
    const code: unknown = Reflect.get(error, name)
    if (typeof code !== 'number') continue
    const found = names[code] ?? names[code & 0xff]
    if (found !== undefined) return found
  }
  return messages.find(([pattern]) => pattern.test(error.message))?.[1] ?? named
}

/**
 * Translates a fault into the error that callers get.
 *
 * @param filename the file, where the fault may be its contents
 */
export function translate(error: unknown, filename?: string): unknown {
  if (error instanceof ClienteleError || error instanceof ConstraintViolation) return error
  const code = codeOf(error)
  if (code !== undefined && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)) {
    return new ConstraintViolation('unique', { cause: error })
  }
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
    return new ConstraintViolation('foreign_key', { cause: error })
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    const file = filename === undefined ? '' : ` ${resolve(filename)}`
    const message = `The SQLite file${file} is not a sound database.`
    return new ClienteleError('configuration_invalid', message, { cause: error })
  }
  if (isReadOnly(error)) {
    const message = 'The SQLite file is read only, or its folder is: it cannot be written.'
    return new ClienteleError('storage_unavailable', message, {
      cause: error,
      retryAfterSeconds: 1,
    })
  }
  const isClosed = error instanceof Error && closed.test(error.message)
  if (isClosed || (code !== undefined && passingFaults.test(code))) return unavailable(error)
  return error
}

export function unavailable(cause: unknown): ClienteleError {
  return new ClienteleError('storage_unavailable', undefined, { cause, retryAfterSeconds: 1 })
}
