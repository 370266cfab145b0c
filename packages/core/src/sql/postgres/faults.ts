import { ClienteleError } from '../../base/errors.ts'
import { systemCode } from '../../base/runtime/system-code.ts'
import { ConstraintViolation, Rollback } from '../driver.ts'

/**
 * SQLSTATE classes of transient faults: connection, resources, log-in, missing database, operator intervention, system,
 * rollback, locks.
 */
const passingClasses = new Set(['08', '28', '3D', '53', '57', '58', '40', '55', '25'])

const rights =
  'The role may not do that. To bring the schema up to date it has to create tables; to serve without that right, start with ' +
  'MIGRATE=false (migrate: false), with USAGE on the schema and SELECT, INSERT, UPDATE and DELETE on its tables.'

/** The SQLSTATE of a fault from the database. */
export function stateOf(error: unknown): string | undefined {
  const code = systemCode(error)
  // A SQLSTATE has a digit, which EPIPE has not.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)
    ? code
    : undefined
}

function isTransient(state: string): boolean {
  return passingClasses.has(state.slice(0, 2))
}

/** A fault without a SQLSTATE is one of the connection: refused, reset, timed out, ended. */
export function isConnectionFault(error: unknown): error is Error {
  const comesFromStatements =
    error instanceof TypeError || error instanceof ConstraintViolation || error instanceof Rollback
  return error instanceof Error && stateOf(error) === undefined && !comesFromStatements
}

/**
 * A prepared statement that the server does not have, or that belongs to another client: a pooler may switch servers.
 */
export function isStatementLost(error: unknown): boolean {
  const state = stateOf(error)
  return state === '26000' || state === '42P05'
}

/** A prepared statement whose plan is outdated since a migration. */
export function isPlanStale(error: unknown): boolean {
  return (
    stateOf(error) === '0A000' &&
    error instanceof Error &&
    Reflect.get(error, 'routine') === 'RevalidateCachedQuery'
  )
}

/**
 * Whether a coordinator of Citus says that it does not reach the server of an account. The coordinator itself works. It
 * reports some of these faults as internal errors.
 */
function isOfLostNode(error: unknown): boolean {
  if (!/^(08|XX000)/.test(stateOf(error) ?? '')) return false
  return /^(connection to the remote node|failure on connection|server closed the connection)/.test(
    error instanceof Error ? error.message : '',
  )
}

/** Whether a connection is unusable after a fault: it failed, or its server is not in the expected state. */
export function spoilsConnection(error: unknown): error is Error {
  if (isConnectionFault(error) || isStatementLost(error) || isPlanStale(error)) return true
  if (isOfLostNode(error)) return false
  // A failed connection, a server that shuts down, or a primary that became a standby.
  return /^(08|57P0|25006)/.test(stateOf(error) ?? '')
}

/** Translates a fault into the error that callers get. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ClienteleError) return error
  const state = stateOf(error)
  if (state === '23505') return new ConstraintViolation('unique', { cause: error })
  if (state === '23503') return new ConstraintViolation('foreign_key', { cause: error })
  if (state === '42501') {
    return new ClienteleError('configuration_invalid', rights, { cause: error })
  }
  const passes =
    state === undefined
      ? isConnectionFault(error)
      : isTransient(state) || isStatementLost(error) || isPlanStale(error) || isOfLostNode(error)
  if (!passes) return error
  return unreachable(error, 'try again shortly.')
}

/** The error for a database that does not answer: the host learns where it was asked, HTTP callers do not. */
export function unreachable(error: Error, advice: string): ClienteleError {
  const place = findPlace(error)
  return new ClienteleError('storage_unavailable', undefined, {
    cause: error,
    retryAfterSeconds: 1,
    reason: place && `The database does not answer at ${place}: ${advice}`,
  })
}

/** The address that Node could not connect to, of several the first; undefined when the fault names none. */
function findPlace(error: Error): string | undefined {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { address, port, code } = Object(first)
  if (typeof address !== 'string' || typeof code !== 'string') return undefined
  const host = address.includes(':') ? `[${address}]` : address
  return `${port === undefined ? address : `${host}:${port}`} (${code})`
}

/** What the driver has translated */
export function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error
}

export function describeFault(error: unknown): string {
  const cause = causeOf(error)
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
