/** A clock that stands still until it is moved. */
export interface TestClock {
  /** Milliseconds since the epoch. It starts at the time of its creation */
  now(): number
  /**
   * Advances the time by whole milliseconds: whatever expires meanwhile has expired.
   *
   * @throws RangeError when the time would not advance
   */
  advance(milliseconds: number): void
}

/** @param base the time to add to; a host's own clock may run on its own */
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
