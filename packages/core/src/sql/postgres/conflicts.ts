import { setTimeout as sleep } from 'node:timers/promises'
import { stateOf } from './faults.ts'

const conflicts = new Set(['40001', '40P01'])
const maxAttempts = 12

/** Whether the database undid a work because it met another's, so that it may be run again. */
export function mayRunAgain(error: unknown, attempt: number): boolean {
  return attempt < maxAttempts && conflicts.has(stateOf(error) ?? '')
}

/** Apart from each other, so that those who met do not meet again. */
export async function pauseAfterConflict(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(10 * 2 ** attempt, 300))
}
