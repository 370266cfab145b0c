import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../base/runtime/fair-limit.ts'

/** For how long records are checked before requests that came meanwhile are answered */
const sliceMs = 10
/** So many batches are stored at once, one of each account: they hold connections of the pool, and locks of users. */
const batchesAtOnce = 2
/** An import that waits holds its records already: refusing it a batch would save nothing. */
const waiting = { maxWaiting: Number.POSITIVE_INFINITY, retryAfterSeconds: 1 }

/** What all imports of a process share, however many there are. Accounts take turns. */
export class ImportTurns {
  readonly #slices = new FairLimit({ atOnce: 1, ...waiting })
  readonly #batches = new FairLimit({ atOnce: batchesAtOnce, atOncePerKey: 1, ...waiting })
  #sliceEnd = 0

  /** Waits, before a record is checked, until imports have the event loop's time again. */
  async check(accountId: string): Promise<void> {
    while (performance.now() >= this.#sliceEnd)
      await this.#slices.run(accountId, async () => {
        await endOfTurn()
        this.#sliceEnd = performance.now() + sliceMs
      })
  }

  /** Stores a batch, or looks up what would become of it. */
  store<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#batches.run(accountId, async () => {
      const result = await work()
      // On SQLite a batch is stored in one turn of the event loop: the next one has a turn of its own.
      await endOfTurn()
      return result
    })
  }
}
