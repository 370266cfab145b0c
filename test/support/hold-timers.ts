import { onTestFinished, vi } from 'vitest'

/**
 * Takes the timers that this process sets until the end of the test, and what it measures time by. They take their time
 * until `pass` lets some pass at once: what comes after a pause need not be waited for. Node's own timers and the date stay
 * as they are.
 */
export function holdTimers(): { pass: (milliseconds: number) => void } {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance'],
    shouldAdvanceTime: true,
  })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (milliseconds) => void vi.advanceTimersByTime(milliseconds) }
}
