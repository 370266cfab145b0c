import { overloaded } from '../errors.ts'
import type { BegunRequest } from './loop-turns.ts'

/** How many requests of an account may begin, less its writes that wait for a connection */
const atOnce = 16
/** After this time a request that has begun has come to the database, or waits for something else, in milliseconds. */
const arrivalMs = 50
/** How many requests of an account may wait, and for how many milliseconds */
const maxWaiting = 1_000
const patienceMs = 5_000

type WritingRequest = Pick<BegunRequest, 'accountId' | 'isGone'>

interface Waiting {
  since: number
  isGone: () => boolean
  begin: () => void
  refuse: () => void
}

/**
 * Lets the writing requests of an account wait before they begin, while its writes wait for a connection. The caller of a
 * request that has not begun can be authenticated again; that of a write that waits for a connection cannot.
 */
export class WriteTurns {
  readonly #waitingWrites: ((accountId: string) => number) | undefined
  readonly #queues = new Map<string, Waiting[]>()
  /** How many have begun, and may not have come to the database yet */
  #begun = new Map<string, number>()
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

  async #run<T>({ accountId, isGone }: WritingRequest, write: () => Promise<T>): Promise<T> {
    if (this.#queues.has(accountId) || this.#roomOf(accountId) <= 0)
      await this.#wait(accountId, isGone)
    else this.#note(accountId, 1)
    const begun = this.#begun
    try {
      return await write()
    } finally {
      if (begun === this.#begun) this.#note(accountId, -1)
      this.#goOn(accountId)
    }
  }

  #wait(accountId: string, isGone: () => boolean): Promise<void> {
    const queue = this.#queues.get(accountId) ?? []
    if (queue.length >= maxWaiting) throw overloaded()
    this.#queues.set(accountId, queue)
    return new Promise((begin, reject) => {
      const refuse = () => reject(overloaded())
      queue.push({ since: performance.now(), isGone, begin, refuse })
      this.#goOnLater()
    })
  }

  #roomOf(accountId: string): number {
    const waiting = this.#waitingWrites?.(accountId) ?? 0
    return atOnce - waiting - (this.#begun.get(accountId) ?? 0)
  }

  #note(accountId: string, more: number): void {
    this.#begun.set(accountId, (this.#begun.get(accountId) ?? 0) + more)
    this.#goOnLater()
  }

  #goOnLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#begun = new Map()
      for (const accountId of this.#queues.keys()) this.#goOn(accountId)
      if (this.#queues.size > 0) this.#goOnLater()
    }, arrivalMs)
  }

  #goOn(accountId: string): void {
    const queue = this.#queues.get(accountId)
    if (queue === undefined) return
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const isOver = first.isGone() || performance.now() - first.since >= patienceMs
      if (!isOver && this.#roomOf(accountId) <= 0) return
      queue.shift()
      if (isOver) first.refuse()
      else {
        this.#note(accountId, 1)
        first.begin()
      }
    }
    this.#queues.delete(accountId)
  }
}
