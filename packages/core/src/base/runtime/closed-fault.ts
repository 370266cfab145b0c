import { ClienteleError } from '../errors.ts'

const message = 'This Clientele was closed: close() was called.'

/**
 * The error of calls after `close()`. Retrying in this process is useless; an HTTP request may reach another process.
 */
export function closedFault(): ClienteleError {
  return new ClienteleError('storage_unavailable', message, { retryAfterSeconds: 1 })
}

export function isClosedFault(error: unknown): boolean {
  return error instanceof ClienteleError && error.message === message
}
