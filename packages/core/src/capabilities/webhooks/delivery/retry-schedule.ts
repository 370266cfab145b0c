import { maxRetryMs } from '../delivery-times.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The delay after each attempt */
const delaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  14 * hourMs,
  14 * hourMs,
]
/** The random variation of a delay, so that messages that failed together are not retried together. */
const spread = 0.2
/** `Sun, 22 Nov 2026 01:36:20 GMT` (RFC 9110, section 5.6.7): `Date.parse` alone accepts nearly any text. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * When an event is retried, in milliseconds since the epoch; undefined after the tenth attempt.
 *
 * @param attempts the number of attempts so far
 * @param retryAfter the receiver's `Retry-After` (RFC 9110, section 10.2.3)
 */
export function findNextAttempt(
  attempts: number,
  now: number,
  retryAfter: string | undefined,
  random: () => number = Math.random,
): number | undefined {
  const delayMs = delaysMs[attempts - 1]
  if (delayMs === undefined) return undefined
  const spreadMs = Math.round(delayMs * (1 - spread + 2 * spread * random()))
  return now + Math.max(spreadMs, readRetryAfter(retryAfter, now))
}

/** The pause that a receiver asked for, in milliseconds. */
function readRetryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  const isDate = httpDate.test(text)
  const milliseconds = isDate
    ? Date.parse(text) - now
    : /^\d+$/.test(text)
      ? Number(text) * secondMs
      : 0
  return milliseconds > 0 ? Math.min(milliseconds, maxRetryMs) : 0
}
