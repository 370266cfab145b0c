import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../call/call.ts'
import { whileAdmitted } from '../call/while-admitted.ts'
import { ClienteleError } from '../errors.ts'
import type { KeyedMutex } from './keyed-mutex.ts'

/** How often a change is tried, as another one may come between */
const maxAttempts = 20
/** The longest pause between two attempts, in milliseconds, when other processes change the same. */
const maxPauseMs = 20

/** What is changed, and what it is called in a message: `user` */
export interface ChangedThing {
  name: string
  id: string
}

/**
 * Changes what others may change at the same moment. Only conflicting changes take turns: no caller waits behind a change
 * that the database delays.
 *
 * @param attempt returns undefined when another change came between reading and writing
 * @throws ClienteleError `overloaded`; any error of `attempt`
 */
export async function changeInTurn<T>(
  { mutex }: { mutex: KeyedMutex },
  call: Call,
  thing: ChangedThing,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  const persist = async () => {
    for (let count = 1; count < maxAttempts; count++) {
      const changed = await attempt()
      if (changed !== undefined) return changed
      await sleep(Math.random() * maxPauseMs)
    }
    throw tooManyChanges(thing.name)
  }
  return (
    (await attempt()) ?? mutex.take(`${call.accountId} ${thing.id}`, whileAdmitted(call, persist))
  )
}

export function tooManyChanges(name = 'user'): ClienteleError {
  const message = `Too many requests change this ${name} at once: try again shortly.`
  return new ClienteleError('overloaded', message, { retryAfterSeconds: 1 })
}
