import { setTimeout as sleep } from 'node:timers/promises'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { GroupLease } from './store.ts'

// In milliseconds
/** How long the requests of one process may follow each other */
const busyMs = 1_000
/** Longer than another process takes between two looks at the lease */
const pauseMs = 100

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
  readonly seen = new Map<string, GroupLease & { at: number }>()
  /** Since when changes follow each other, by account */
  readonly #busySince = new Map<string, number>()

  /**
   * @param signal cancels a change that has not begun
   * @throws ClienteleError `overloaded` when a hundred changes of the account wait, or this one was cancelled; any error of the change
   */
  run<T>(accountId: string, change: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const inTurn = async (): Promise<T> => {
      await this.#pause(accountId)
      try {
        return await change()
      } finally {
        if (!this.#limit.isWaitedFor(accountId)) this.#busySince.delete(accountId)
      }
    }
    return this.#limit.run(accountId, inTurn, signal)
  }

  async #pause(accountId: string): Promise<void> {
    const since = this.#busySince.get(accountId)
    const isBusy = since !== undefined && performance.now() - since > busyMs
    if (isBusy) await sleep(pauseMs)
    if (isBusy || since === undefined) this.#busySince.set(accountId, performance.now())
  }
}
