/**
 * A clock that is set back by more than this was wrong before, in milliseconds. Smaller corrections, and processes whose
 * clocks are minutes apart, end nothing.
 */
export const maxSetBackMs = 3_600_000

/**
 * The latest end of something that lasts this long. A later end was stored while a clock was wrong: such a thing is over,
 * since it would otherwise last until the wrong time.
 */
export function latestEnd(now: number, lastsMs: number): number {
  return now + lastsMs + maxSetBackMs
}
