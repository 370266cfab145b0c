import { latestEnd } from '../../base/runtime/latest-end.ts'

/** The duration of a lease, which its holder can renew. */
export const leaseMs = 30_000
/** The longest pause before another attempt, also where a receiver asks for more */
export const maxRetryMs = 24 * 3_600_000

/** A delivery whose next attempt is later was set aside while a clock was ahead: it would wait until then. */
export function latestAttempt(now: number): number {
  return latestEnd(now, maxRetryMs)
}
