import { TimeShare } from './time-share.ts'

/** How long requests are begun in one turn of the event loop before the others wait for the next, in milliseconds */
const turnMs = 5
/** So many are begun in a turn without a look at what they take: most of it comes when those that came with them are begun. */
const atOnce = 16
/** What one that waits is charged until it has begun, in milliseconds */
const expectedMs = 0.5
/** After so long it is asked again whether the database keeps up, in milliseconds */
const storagePauseMs = 1

/**
 * Begins requests. The first of a turn of the event loop are begun as they came. The rest is begun one after the other while the
 * turn is not longer than 5 ms and the database keeps up, and then waits for the next; accounts share the time: however many
 * requests come for one of them, another waits for one turn.
 */
export class LoopTurns {
  readonly #isStorageBusy: () => boolean
  #isOpen = false
  #endsAt = 0
  /** How many more of this turn are begun as they come */
  #left = 0
  #timer: NodeJS.Timeout | undefined
  readonly #share: TimeShare = new TimeShare({
    hasRoom: () => this.#share.running === 0 && !this.#isStorageBusy() && this.#hasTime(),
    onEnd: () => this.#goOn(),
  })

  /** @param isStorageBusy whether what is begun now would wait for the database, behind what was begun before */
  constructor(isStorageBusy: () => boolean) {
    this.#isStorageBusy = isStorageBusy
  }

  /** @throws whatever `begin` throws */
  run<T>(accountId: string, begin: () => Promise<T>): Promise<T> {
    if (this.#share.waiting === 0 && this.#hasTime() && this.#left > 0 && !this.#isStorageBusy()) {
      this.#left--
      return begin()
    }
    return this.#wait(accountId, begin)
  }

  async #wait<T>(accountId: string, begin: () => Promise<T>): Promise<T> {
    const started = this.#share.run(accountId, expectedMs, async () => {
      const result = begin()
      // It is heard of below, a moment after it may have failed.
      result.catch(() => {})
      await whenLoopIsFree()
      return { result }
    })
    this.#goOn()
    return (await started).result
  }

  #hasTime(): boolean {
    if (this.#isOpen) return performance.now() < this.#endsAt
    this.#isOpen = true
    this.#endsAt = performance.now() + turnMs
    this.#left = atOnce
    setImmediate(() => {
      this.#isOpen = false
      this.#goOn()
    })
    return true
  }

  /** Starts the next that waits; where it may not, it is tried again when the turn has ended, or the database may have kept up. */
  #goOn(): void {
    if (this.#share.waiting === 0 || this.#share.startNext()) return
    if (this.#isOpen || this.#share.running > 0 || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#goOn()
    }, storagePauseMs)
  }
}

/** Waits until all that goes on without waiting for another turn has gone on: what has been begun is then charged for it. */
function whenLoopIsFree(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))
}
