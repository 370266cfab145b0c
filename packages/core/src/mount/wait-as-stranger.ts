import type { LoopTurns } from '../base/runtime/loop-turns.ts'

/**
 * Waits for a turn of those who are not authenticated, before one of them is refused: they share one account's time, and
 * send the next request only when they have the response. Where too many wait, the refusal does not.
 */
export async function waitAsStranger(loopTurns: LoopTurns, isGone: () => boolean): Promise<void> {
  await loopTurns.run({ accountId: '', weight: 1, isGone }, async () => {}).catch(() => {})
}
