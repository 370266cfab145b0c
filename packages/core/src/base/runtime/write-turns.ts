import { overloaded } from '../errors.ts'
import type { BegunRequest } from './loop-turns.ts'

/** How many requests of an account may begin, less those whose writes wait for a connection */
const atOnce = 16
/** After this time a request that has begun has come to the database, or waits for something else, in milliseconds. */
const arrivalMs = 50
/** How many requests of an account may wait, and for how many milliseconds */
const maxWaiting = 1_000
const patienceMs = 5_000
/** No account has this id. */
const strangers = 'strangers'

interface WritingRequest extends Pick<BegunRequest, 'accountId' | 'isGone'> {
  /** Whether its caller is not authenticated: strangers wait apart from operators, who belong to no account either. */
  isStranger: boolean
}

interface Waiting {
  since: number
  isGone: () => boolean
  begin: () => void
  refuse: () => void
}

/** The requests of an account, or those of strangers. */
interface Writers {
  accountId: string
  waiting: Waiting[]
  /** How many have begun and not ended */
  running: number
  /** How many of them may not have come to the database yet */
  arriving: number
}

/**
 * Lets the writing requests of an account wait before they begin, while its writes wait for a connection. The caller of a
 * request that has not begun can be authenticated again; that of a write that waits for a connection cannot.
 */
export class WriteTurns {
  readonly #waitingWrites: ((accountId: string) => number) | undefined
  readonly #writers = new Map<string, Writers>()
  /** Counts the times after which what has begun has come to the database */
  #period = 0
  #timer: NodeJS.Timeout | undefined

  /** @param waitingWrites how many writes of an account wait for a connection; undefined: none ever does */
  constructor(waitingWrites: ((accountId: string) => number) | undefined) {
    this.#waitingWrites = waitingWrites
  }

  /**
   * @throws ClienteleError `overloaded` when 1,000 requests of the account wait, or this one for five seconds, or its
   *   caller has gone; any error of `write`
   */
  run<T>(request: WritingRequest, write: () => Promise<T>): Promise<T> {
    return this.#waitingWrites === undefined ? write() : this.#run(request, write)
  }

  async #run<T>(
    { accountId, isGone, isStranger }: WritingRequest,
    write: () => Promise<T>,
  ): Promise<T> {
    const key = isStranger ? strangers : accountId
    const writers = this.#writers.get(key) ?? { accountId, waiting: [], running: 0, arriving: 0 }
    this.#writers.set(key, writers)
    if (writers.waiting.length === 0 && this.#hasRoom(writers)) this.#note(writers)
    else await this.#wait(writers, isGone)
    const period = this.#period
    try {
      return await write()
    } finally {
      writers.running--
      if (period === this.#period) writers.arriving--
      this.#goOn(writers)
      if (isIdle(writers)) this.#writers.delete(key)
    }
  }

  #wait({ waiting }: Writers, isGone: () => boolean): Promise<void> {
    if (waiting.length >= maxWaiting) throw overloaded()
    return new Promise((begin, reject) => {
      const refuse = () => reject(overloaded())
      waiting.push({ since: performance.now(), isGone, begin, refuse })
      this.#goOnLater()
    })
  }

  /**
   * What waits for a connection besides, such as calls in process, takes no more room than requests have begun: otherwise
   * none would begin.
   */
  #hasRoom({ accountId, running, arriving }: Writers): boolean {
    const waiting = Math.min(this.#waitingWrites?.(accountId) ?? 0, running - arriving)
    return waiting + arriving < atOnce
  }

  #note(writers: Writers): void {
    writers.running++
    writers.arriving++
    this.#goOnLater()
  }

  #goOnLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#period++
      let isAnyWaiting = false
      for (const [key, writers] of this.#writers) {
        writers.arriving = 0
        this.#goOn(writers)
        isAnyWaiting ||= writers.waiting.length > 0
        if (isIdle(writers)) this.#writers.delete(key)
      }
      if (isAnyWaiting) this.#goOnLater()
    }, arrivalMs)
  }

  #goOn(writers: Writers): void {
    const { waiting } = writers
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const isOver = first.isGone() || performance.now() - first.since >= patienceMs
      if (!isOver && !this.#hasRoom(writers)) return
      waiting.shift()
      if (isOver) first.refuse()
      else {
        this.#note(writers)
        first.begin()
      }
    }
  }
}

function isIdle({ running, waiting }: Writers): boolean {
  return running === 0 && waiting.length === 0
}
