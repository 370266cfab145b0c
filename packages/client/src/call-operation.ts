import { buildRequest, type OutgoingRequest } from './build-request.ts'
import type { ClientSettings } from './client-options.ts'
import type { Operation } from './operation.ts'
import type { Failure, Result } from './result.ts'
import { sendRequest } from './send-request.ts'
import { sleep } from './sleep.ts'

/** Without a `Retry-After`, how long the first pause may be; each one after it may be twice as long. */
const firstDelayMs = 200

/** Calls an operation, with retries if they are safe and may help, as often as the settings allow. */
export async function callOperation(
  operation: Operation,
  given: readonly unknown[],
  settings: ClientSettings,
): Promise<Result<unknown, string>> {
  const request = buildRequest(operation, given, settings)
  for (let repeats = 0; ; repeats++) {
    const result = await sendRequest(request, settings)
    if (result.problem === undefined || repeats === settings.retryCount) return result
    if (!mayRepeat(request, result)) return result
    const delayMs = findDelay(result, repeats, settings.maxDelayMs)
    if (delayMs === undefined) return result
    await sleep(delayMs, request.signal)
  }
}

/** Whether a retry is safe (the server did nothing, or the request is idempotent) and may succeed. */
function mayRepeat({ isRepeatable, body }: OutgoingRequest, { problem }: Failure<string>): boolean {
  // A stream is read once.
  if (body instanceof ReadableStream) return false
  switch (problem.code) {
    case 'rate_limited':
    case 'overloaded':
    case 'idempotency_in_progress':
      return true
    case 'storage_unavailable':
    case 'no_answer':
    case 'timed_out':
      return isRepeatable
    case 'unexpected_answer':
      // A proxy that rate-limits has not forwarded the request; a proxy without an answer may have.
      if (problem.status === 429) return true
      return isRepeatable && [502, 503, 504].includes(problem.status)
    default:
      return false
  }
}

/** How long to wait; undefined if that is too long. Jitter spreads clients that failed together. */
function findDelay(
  { response }: Failure<string>,
  repeats: number,
  maxDelayMs: number,
): number | undefined {
  const askedMs = readRetryAfter(response)
  if (askedMs === undefined) {
    return Math.random() * Math.min(firstDelayMs * 2 ** repeats, maxDelayMs)
  }
  if (askedMs > maxDelayMs) return undefined
  return askedMs + Math.random() * Math.min(askedMs / 4 + firstDelayMs, maxDelayMs - askedMs)
}

/** `Retry-After` (RFC 9110, section 10.2.3): seconds or a date; in milliseconds. */
function readRetryAfter(response: Response | undefined): number | undefined {
  const value = response?.headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
