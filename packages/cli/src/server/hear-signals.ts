import { constants } from 'node:os'
import { followParent } from './follow-parent.ts'

/** A signal within this time is a copy of the first, sent to the group or forwarded by the parent. In milliseconds. */
const sameSignalMs = 2_000

export type StopSignal = 'SIGTERM' | 'SIGINT'

/**
 * Calls `stop` at the first SIGTERM or SIGINT, and `end` at another one that comes more than two seconds later; by
 * default that ends the process as the signal would.
 */
export function hearSignals(
  stop: (signal: StopSignal) => void,
  end: (signal: StopSignal) => void = (signal) => process.exit(128 + constants.signals[signal]),
): void {
  let stoppedAt: number | undefined
  const hear = (signal: StopSignal): void => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now()
      stop(signal)
    } else if (performance.now() - stoppedAt > sameSignalMs) end(signal)
  }
  process.on('SIGTERM', hear).on('SIGINT', hear)
  followParent(() => hear('SIGTERM'))
}
