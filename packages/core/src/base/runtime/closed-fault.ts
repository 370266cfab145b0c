import { ClienteleError } from '../errors.ts'

/** What callers get after `close()`: trying again is of no use to this process. HTTP callers may come to another. */
export function closedFault(): ClienteleError {
  return new ClienteleError(
    'storage_unavailable',
    'This Clientele was closed: close() was called.',
    {
      retryAfterSeconds: 1,
    },
  )
}
