import { ClienteleError } from '../errors.ts'
import { TimeShare } from './time-share.ts'

/** How long requests are begun in one turn of the event loop before the others wait for the next, in milliseconds */
const turnMs = 5
/**
 * How long nothing is begun after such a turn while requests wait, in milliseconds: a turn of the event loop takes one new
 * connection, and many short turns take those that have come meanwhile.
 */
const pauseMs = 2
/** What is begun in a turn without a look at what it takes, by weight: most of that comes when all have been begun. */
const weightAtOnce = 16
/** What one that waits is charged until it has begun, in milliseconds */
const expectedMs = 0.5
/** How many requests of one account may wait */
const maxWaiting = 1_000

export interface BegunRequest {
  accountId: string
  /** 1 for one that takes a fraction of a millisecond, up to 16 for one that may take some */
  weight: number
  /** Whether its caller does not wait for an answer any more */
  isGone: () => boolean
}

/**
 * Begins requests. The first of a turn of the event loop are begun as they came. The rest is begun one after the other while the
 * turn is not longer than 5 ms and the database keeps up, and then waits for a later one; accounts share the time: however
 * many requests come for one of them, another waits for one turn.
 */
export class LoopTurns {
  readonly #isStorageBusy: () => boolean
  #isOpen = false
  #endsAt = 0
  #left = 0
  /** Until when nothing is begun */
  #pausesUntil = 0
  #timer: NodeJS.Timeout | undefined
  readonly #share: TimeShare = new TimeShare({
    hasRoom: () => this.#share.running === 0 && !this.#isStorageBusy() && this.#hasTime(),
    onEnd: () => this.#goOn(),
  })

  /** @param isStorageBusy whether what is begun now would wait for the database, behind what was begun before */
  constructor(isStorageBusy: () => boolean) {
    this.#isStorageBusy = isStorageBusy
  }

  /** @throws ClienteleError `overloaded` when 1,000 requests of the account wait; whatever `begin` throws */
  run<T>(request: BegunRequest, begin: () => Promise<T>): Promise<T> {
    if (
      this.#share.waiting === 0 &&
      this.#hasTime() &&
      this.#left >= request.weight &&
      !this.#isStorageBusy()
    ) {
      this.#left -= request.weight
      return begin()
    }
    return this.#wait(request, begin)
  }

  async #wait<T>({ accountId, isGone }: BegunRequest, begin: () => Promise<T>): Promise<T> {
    if (this.#share.waitingOf(accountId) >= maxWaiting) throw refusal()
    const started = this.#share.run(accountId, expectedMs, async () => {
      if (isGone()) throw refusal()
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
    const now = performance.now()
    if (now < this.#pausesUntil && this.#share.waiting > 0) return false
    this.#openTurn(now + turnMs)
    return true
  }

  /** @param endsAt 0: nothing is begun in it */
  #openTurn(endsAt: number): void {
    this.#isOpen = true
    this.#endsAt = endsAt
    this.#left = weightAtOnce
    setImmediate(() => {
      this.#isOpen = false
      const now = performance.now()
      const wasLong = endsAt > 0 && now >= endsAt
      if (wasLong && this.#share.waiting > 0) this.#pausesUntil = now + pauseMs
      this.#goOn()
    })
  }

  /** Starts the next that waits; where it may not, it is tried again in a turn to come, or when the database may have kept up. */
  #goOn(): void {
    if (this.#share.waiting === 0 || this.#share.startNext()) return
    if (this.#isOpen || this.#share.running > 0 || this.#timer !== undefined) return
    if (performance.now() < this.#pausesUntil) {
      this.#openTurn(0)
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#goOn()
    }, 1)
  }
}

function refusal(): ClienteleError {
  return new ClienteleError('overloaded', undefined, { retryAfterSeconds: 1 })
}

/** Waits until all that goes on without waiting for another turn has gone on: what has been begun is then charged for it. */
function whenLoopIsFree(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))
}
