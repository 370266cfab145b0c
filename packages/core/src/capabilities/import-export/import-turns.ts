import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../base/runtime/fair-limit.ts'

/** How long records are checked before waiting requests are answered */
const sliceMs = 10
/** How many batches are stored at once, one per account: they hold connections of the pool and locks of users. */
const batchesAtOnce = 2
/**
 * How many hooks all imports of an account ask at once, and those of all accounts: half of what others may, so that a sign-in of
 * the account finds a place. The wait for a place is none of a hook's three seconds.
 */
const asksPerAccount = 8
const asksAtOnce = 128
/** How many hashes of all imports of an account run or wait at once: they wait beside those that its users cause */
const hashesPerAccount = 16
/** A waiting import already holds its records in memory: refusing its batch would save nothing. */
const waiting = { maxWaiting: Number.POSITIVE_INFINITY, retryAfterSeconds: 1 }

/** The resources that all imports of a process share. Accounts take turns. */
export class ImportTurns {
  readonly #slices = new FairLimit({ atOnce: 1, ...waiting })
  readonly #batches = new FairLimit({ atOnce: batchesAtOnce, atOncePerKey: 1, ...waiting })
  readonly #asks = new FairLimit({ atOnce: asksAtOnce, atOncePerKey: asksPerAccount, ...waiting })
  readonly #hashes = new FairLimit({ atOnce: Infinity, atOncePerKey: hashesPerAccount, ...waiting })
  #sliceEnd = 0

  /** Waits, before a record is checked, until imports get event loop time again. */
  async check(accountId: string): Promise<void> {
    while (performance.now() >= this.#sliceEnd)
      await this.#slices.run(accountId, async () => {
        await endOfTurn()
        this.#sliceEnd = performance.now() + sliceMs
      })
  }

  /** Asks a hook about a record. */
  ask<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#asks.run(accountId, work)
  }

  /** Hashes a password, however many hashes of the account wait. */
  hash<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#hashes.run(accountId, work)
  }

  /** Stores a batch, or rehearses it. */
  store<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#batches.run(accountId, async () => {
      const result = await work()
      // On SQLite a batch is stored in one turn of the event loop: the next batch gets another turn.
      await endOfTurn()
      return result
    })
  }
}
