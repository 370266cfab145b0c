import { ClienteleError } from '../../base/errors.ts'
import type { CompiledQuery } from '../db.ts'

/** What runs statements in a transaction of the host's: the driver's connection, or a transaction of a library's. */
export interface HostSession {
  /** What the host gave us */
  readonly handle: object
  /** Whether a statement may be several, one after the other; the last one's rows are the answer. */
  readonly takesScripts?: boolean
  /**
   * Answers with rows as our own drivers do. Rejects with the fault of the driver beneath the library, and with
   * `transaction_required` where the library says that the transaction is over.
   */
  query(step: CompiledQuery): Promise<unknown[]>
}

export function invalidHandle(message: string): ClienteleError {
  return new ClienteleError('transaction_invalid', message)
}

export function endedTransaction(cause: unknown): ClienteleError {
  return new ClienteleError('transaction_required', undefined, { cause })
}

/** Another transaction may be open on the handle by now, or none. */
export function endedInstead(cause?: unknown): ClienteleError {
  const message = 'The transaction in which this was called has ended.'
  return new ClienteleError('transaction_required', message, { cause })
}

export function hasMethod(handle: object, name: string): boolean {
  return typeof Reflect.get(handle, name) === 'function'
}
