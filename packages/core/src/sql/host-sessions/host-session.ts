import { ClienteleError } from '../../base/errors.ts'
import type { CompiledQuery } from '../statement.ts'

/** Runs statements in a transaction of the host's: the driver's connection, or a library's transaction. */
export interface HostSession {
  /** The handle that the host passed */
  readonly handle: object
  /** Whether the text may contain several statements; the rows of the last one are returned. */
  readonly takesScripts?: boolean
  /**
   * Returns rows as our own drivers do. Rejects with the fault of the driver beneath the library, and with
   * `transaction_required` when the library reports that the transaction has ended.
   */
  query(step: CompiledQuery): Promise<unknown[]>
}

export function invalidHandle(message: string): ClienteleError {
  return new ClienteleError('transaction_invalid', message)
}

export function endedTransaction(cause: unknown): ClienteleError {
  return new ClienteleError('transaction_required', undefined, { cause })
}

/** Meanwhile another transaction, or none, may be open on the handle. */
export function endedInstead(cause?: unknown): ClienteleError {
  const message = 'The transaction in which this was called has ended.'
  return new ClienteleError('transaction_required', message, { cause })
}

export function hasMethod(handle: object, name: string): boolean {
  return typeof Reflect.get(handle, name) === 'function'
}
