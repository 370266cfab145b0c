/** A clock that stands still until it is moved. */
export interface TestClock {
  /** The time in milliseconds since the epoch; at first the time when the clock was created */
  now(): number
  /**
   * Advances the time by whole milliseconds, so that tokens and sessions expire without waiting.
   *
   * @throws RangeError when the number is negative or not whole
   */
  advance(milliseconds: number): void
}

/** @param base the clock to add to, which may run. @default a clock that stands still */
export function createTestClock(base?: () => number): TestClock {
  const startedAt = Date.now()
  let offset = 0
  return {
    now: () => (base?.() ?? startedAt) + offset,
    advance: (milliseconds) => {
      if (!Number.isSafeInteger(milliseconds) || milliseconds < 0)
        throw new RangeError('clock.advance takes whole milliseconds, 0 or more.')
      offset += milliseconds
    },
  }
}
