import type { LoopTurns } from '../base/runtime/loop-turns.ts'

/**
 * Waits for a turn of those who are not authenticated, before one of them is refused: most send the next request only when
 * they have the response. Where too many wait, the refusal does not.
 *
 * @param turns of strangers alone: these do not wait for the database, and no other caller waits for them
 */
export async function waitAsStranger(turns: LoopTurns, isGone: () => boolean): Promise<void> {
  await turns.run({ accountId: '', weight: 1, isGone }, async () => {}).catch(() => {})
}
