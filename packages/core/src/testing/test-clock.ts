/** A clock that stands still until it is moved. */
export interface TestClock {
  /** Milliseconds since the epoch. It begins with the time at which it was made */
  now(): number
  /**
   * Moves the time on, by whole milliseconds: what expires meanwhile has expired.
   *
   * @throws RangeError when the time would not go on
   */
  advance(milliseconds: number): void
}

/** @param base what counts on from; a host's own clock may go on by itself */
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
