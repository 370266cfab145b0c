import { ClienteleError } from '../errors.ts'

const message = 'This Clientele was closed: close() was called.'

/** What callers get after `close()`: trying again is of no use to this process. HTTP callers may come to another. */
export function closedFault(): ClienteleError {
  return new ClienteleError('storage_unavailable', message, { retryAfterSeconds: 1 })
}

export function isClosedFault(error: unknown): boolean {
  return error instanceof ClienteleError && error.message === message
}
