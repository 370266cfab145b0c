import { setTimeout as sleep } from 'node:timers/promises'
import { stateOf } from './faults.ts'

const conflicts = new Set(['40001', '40P01'])
const maxAttempts = 12
/** With a snapshot, every write of another to the same rows is a conflict: there is no waiting for it. */
const maxSnapshotAttempts = 24

/** Whether the database rolled back a transaction because of a conflict with another one, so that it may be retried. */
export function mayRunAgain(error: unknown, attempt: number, hasSnapshot: boolean): boolean {
  const maximum = hasSnapshot ? maxSnapshotAttempts : maxAttempts
  return attempt < maximum && conflicts.has(stateOf(error) ?? '')
}

/** Waits a random time, so that the same transactions do not conflict again. */
export async function pauseAfterConflict(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(10 * 2 ** attempt, 300))
}
