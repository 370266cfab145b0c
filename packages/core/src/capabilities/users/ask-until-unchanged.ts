import { tooManyChanges } from '../../base/runtime/change-in-turn.ts'

/** How often hooks are asked about a user who changes meanwhile. */
export const maxAsked = 3

/**
 * Asks hooks about a user and then writes, again where the user has changed in between: three times at most.
 *
 * @param attempt does both, and returns undefined if the user is another than the hooks were asked about
 * @throws ClienteleError `overloaded` when the user changes each time; any error of `attempt`
 */
export async function askUntilUnchanged<T>(
  attempt: (tries: number) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 1; tries <= maxAsked; tries++) {
    const result = await attempt(tries)
    if (result !== undefined) return result
  }
  throw tooManyChanges()
}
