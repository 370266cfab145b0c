import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { GroupLease } from './store.ts'

// In milliseconds
/** How long the requests of one process may follow each other */
const busyMs = 1_000
/** Longer than another process takes between two looks at the lease */
const pauseMs = 100
const maxAccounts = 1_000

/** Changes of an account that follow each other */
interface Busy {
  since: number
  /** When the last of them ended */
  endedAt: number
}

/** The changes of groups of this process: of an account one after the other, with pauses in which another process gets a turn. */
export class GroupTurns {
  readonly #limit = new FairLimit({
    atOnce: Number.POSITIVE_INFINITY,
    atOncePerKey: 1,
    maxWaiting: 100,
    retryAfterSeconds: 1,
  })
  /**
   * The leases of other processes, by account, and when they were seen first. To tell that one is abandoned takes most of a
   * request's patience: those that wait, or come after it, need not begin anew.
   */
  readonly seen = new LRUCache<string, GroupLease & { at: number }>({ max: maxAccounts })
  readonly #busy = new LRUCache<string, Busy>({ max: maxAccounts })

  /**
   * @param signal cancels a change that has not begun
   * @throws ClienteleError `overloaded` when a hundred changes of the account wait, or this one was cancelled; any error of the change
   */
  run<T>(accountId: string, change: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const inTurn = async (): Promise<T> => {
      const since = await this.#pause(accountId)
      try {
        return await change()
      } finally {
        this.#busy.set(accountId, { since, endedAt: performance.now() })
      }
    }
    return this.#limit.run(accountId, inTurn, signal)
  }

  /** @returns since when changes follow each other: also those of a client that sends the next one when it has an answer */
  async #pause(accountId: string): Promise<number> {
    const now = performance.now()
    const busy = this.#busy.get(accountId)
    if (busy === undefined || now - busy.endedAt > pauseMs) return now
    if (now - busy.since < busyMs) return busy.since
    await sleep(pauseMs)
    return performance.now()
  }
}
