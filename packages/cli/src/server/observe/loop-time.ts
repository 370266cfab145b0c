import { setImmediate as nextTurn } from 'node:timers/promises'

/** For how long pieces may follow each other before other requests get their turn, in milliseconds */
const maxTurnMs = 5

/** Counts for how long work that is done in pieces occupies the event loop. */
export class LoopTime {
  #totalMs = 0
  #turnMs = 0

  get totalMs(): number {
    return this.#totalMs
  }

  add(ms: number): void {
    this.#totalMs += ms
  }

  /**
   * Does a piece, and then lets other requests run if it is time.
   *
   * @param piece waits for nothing but microtasks: a wait would count as work
   */
  async spend<Value>(piece: () => Value | Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    try {
      return await piece()
    } finally {
      const tookMs = performance.now() - startedAt
      this.add(tookMs)
      this.#turnMs += tookMs
      if (this.#turnMs > maxTurnMs) {
        await nextTurn()
        this.#turnMs = 0
      }
    }
  }
}
