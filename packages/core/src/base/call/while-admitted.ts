import { overloaded } from '../errors.ts'
import type { Call } from './call.ts'

/** The caller of a task that waits */
export type WaitingCaller = Pick<Call, 'accountId' | 'isGone' | 'stayAdmitted'>

/**
 * Makes a task that waits for its turn: before it begins, its caller is authenticated anew if that is a second ago. It does not
 * begin for a caller who has gone.
 */
export function whileAdmitted<T>(call: WaitingCaller, task: () => Promise<T>): () => Promise<T> {
  return async () => {
    await remainAdmitted(call)
    return task()
  }
}

/** Called between the parts of long work: it throws where the caller has gone, or may do no more. */
export async function remainAdmitted(call: WaitingCaller): Promise<void> {
  if (call.isGone?.() === true) throw overloaded()
  await call.stayAdmitted?.()
}
