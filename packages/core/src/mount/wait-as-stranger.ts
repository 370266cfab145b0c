import type { LoopTurns } from '../base/runtime/loop-turns.ts'

/** Not the empty id of public documents and of operators: however many strangers wait, those are answered. */
const strangers = 'strangers'

/**
 * Waits for a turn of those who are not authenticated, before one of them is refused: they share one account's time, and
 * send the next request only when they have the response. Where too many wait, the refusal does not.
 */
export async function waitAsStranger(loopTurns: LoopTurns, isGone: () => boolean): Promise<void> {
  await loopTurns.run({ accountId: strangers, weight: 1, isGone }, async () => {}).catch(() => {})
}
