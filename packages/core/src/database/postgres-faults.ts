import { ClienteleError } from '../errors.ts'
import { ConstraintViolation, Undoing } from './database.ts'

/** SQLSTATE classes of faults that pass: connection, resources, log-in, missing database, operator intervention, system, roll-back, locks. */
const passingClasses = new Set(['08', '28', '3D', '53', '57', '58', '40', '55', '25'])

/** The SQLSTATE of a fault that the database named. */
export function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

function isPassing(state: string): boolean {
  return passingClasses.has(state.slice(0, 2))
}

/** Without a SQLSTATE it is the connection that failed: refused, reset, timed out, ended. */
export function isConnectionFault(error: unknown): error is Error {
  const comesFromStatements =
    error instanceof TypeError || error instanceof ConstraintViolation || error instanceof Undoing
  return error instanceof Error && stateOf(error) === undefined && !comesFromStatements
}

/** What callers get to see of a fault. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ClienteleError) return error
  const state = stateOf(error)
  if (state === '23505') return new ConstraintViolation('unique', { cause: error })
  if (state === '23503') return new ConstraintViolation('foreign_key', { cause: error })
  const passes = state === undefined ? isConnectionFault(error) : isPassing(state)
  if (!passes) return error
  return new ClienteleError('storage_unavailable', undefined, {
    cause: error,
    retryAfterSeconds: 1,
  })
}
