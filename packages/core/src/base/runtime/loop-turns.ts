import { overloaded } from '../errors.ts'
import { TimeShare } from './time-share.ts'

/** For how many milliseconds one turn of the event loop starts requests; the rest wait for a later turn */
const turnMs = 5
/**
 * The pause after such a turn while requests wait, in milliseconds. A turn of the event loop accepts one new
 * connection, and many short turns accept those that have arrived meanwhile.
 */
const pauseMs = 2
/**
 * The weight of the requests that a turn starts without measuring them: most of their work happens after all have been
 * started.
 */
const weightAtOnce = 16
/**
 * What a waiting request is charged for each unit of its weight, in milliseconds. Its start takes less, but its work for
 * the database, and its response, come later: without this a small request would wait for a large one of each account.
 */
const chargedMs = 0.5
/** How many requests of one account may wait */
const maxWaiting = 1_000
/**
 * How long requests wait for a busy database before one starts nevertheless, in milliseconds. Others may keep it busy for
 * ever: a host that shares its connections, or look-ups before a caller is known.
 */
const maxStorageWaitMs = 10

export interface BegunRequest {
  accountId: string
  /** From 1 for a fraction of a millisecond to 16 for some milliseconds */
  weight: number
  /** Whether the caller has stopped waiting for a response */
  isGone: () => boolean
}

/**
 * Starts requests. The first of a turn of the event loop start on arrival. The rest start one after the other while the
 * turn is shorter than 5 ms and the database keeps up; then they wait for a later turn. Accounts share the time:
 * however many requests one account sends, another account's request waits for one turn.
 */
export class LoopTurns {
  readonly #isStorageBusy: () => boolean
  #isOpen = false
  #endsAt = 0
  #left = 0
  /** No request starts before this time */
  #pausesUntil = 0
  /** When the last waiting request started, or began to wait for the database */
  #lastStartAt = 0
  #timer: NodeJS.Timeout | undefined
  readonly #share: TimeShare = new TimeShare({
    hasRoom: () => this.#share.running === 0 && this.#mayAsk() && this.#hasTime(),
    onEnd: () => this.#goOn(),
  })

  /** @param isStorageBusy whether a request that starts now would wait for the database behind earlier ones */
  constructor(isStorageBusy: () => boolean) {
    this.#isStorageBusy = isStorageBusy
  }

  /**
   * @param begin is told how long the request has waited, in milliseconds
   * @throws ClienteleError `overloaded` when 1,000 requests of the account wait; any error of `begin`
   */
  run<T>(request: BegunRequest, begin: (waitedMs: number) => Promise<T>): Promise<T> {
    if (
      this.#share.waiting === 0 &&
      this.#hasTime() &&
      this.#left >= request.weight &&
      !this.#isStorageBusy()
    ) {
      this.#left -= request.weight
      return begin(0)
    }
    return this.#wait(request, begin)
  }

  async #wait<T>(
    { accountId, isGone, weight }: BegunRequest,
    begin: (waitedMs: number) => Promise<T>,
  ): Promise<T> {
    if (this.#share.waitingOf(accountId) >= maxWaiting) throw overloaded()
    const since = performance.now()
    if (this.#share.waiting === 0) this.#lastStartAt = since
    const start = async () => {
      if (isGone()) throw overloaded()
      this.#lastStartAt = performance.now()
      const result = begin(this.#lastStartAt - since)
      // The rejection is handled below, a moment after it may have happened.
      result.catch(() => {})
      await whenLoopIsFree()
      return { result }
    }
    const charged = weight * chargedMs
    const started = this.#share.run(accountId, charged, start, charged)
    this.#goOn()
    return (await started).result
  }

  #mayAsk(): boolean {
    return !this.#isStorageBusy() || performance.now() - this.#lastStartAt >= maxStorageWaitMs
  }

  #hasTime(): boolean {
    if (this.#isOpen) return performance.now() < this.#endsAt
    const now = performance.now()
    if (now < this.#pausesUntil && this.#share.waiting > 0) return false
    this.#openTurn(now + turnMs)
    return true
  }

  /** @param endsAt 0: the turn starts no request */
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

  /** Starts the next waiting request. If it may not start yet, a later turn or a timer tries again. */
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

/** Waits until the started work itself waits for a later turn: it is charged for the time up to then. */
function whenLoopIsFree(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))
}
