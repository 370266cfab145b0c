import { ClienteleError } from '../errors.ts'

export interface FairLimitOptions {
  /** How many tasks run at once */
  atOnce: number
  /** How many tasks of one account may wait; where that depends on how long tasks take, it is asked for each time. */
  maxWaiting: number | (() => number)
  /** What is said to whoever comes when that many wait */
  retryAfterSeconds: number
}

/**
 * Runs a few tasks at once. Accounts whose tasks wait take turns: next comes the account that has the fewest running,
 * and of several the one that has waited for its turn longest. However many tasks one account brings, another waits for
 * one task of each account at most.
 */
export class FairLimit {
  readonly #options: FairLimitOptions
  /** How many run, by account */
  readonly #running = new Map<string, number>()
  /** What starts those that wait, by account; the account that has waited for its turn longest is first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #free: number

  constructor(options: FairLimitOptions) {
    this.#options = options
    this.#free = options.atOnce
  }

  /** @throws ClienteleError `overloaded` when too many tasks of the account wait */
  assertRoom(accountId: string): void {
    const waiting = this.#waiting.get(accountId)?.length ?? 0
    const { maxWaiting, retryAfterSeconds } = this.#options
    const most = typeof maxWaiting === 'number' ? maxWaiting : maxWaiting()
    if (this.#free > 0 || waiting < most) return
    throw new ClienteleError('overloaded', undefined, { retryAfterSeconds })
  }

  /** @throws ClienteleError `overloaded` when too many tasks of the account wait; whatever the task throws */
  async run<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    this.assertRoom(accountId)
    if (this.#free > 0) this.#begin(accountId)
    else await this.#wait(accountId)
    try {
      return await task()
    } finally {
      this.#end(accountId)
    }
  }

  #begin(accountId: string): void {
    this.#free--
    this.#running.set(accountId, this.#runningOf(accountId) + 1)
  }

  #end(accountId: string): void {
    const left = this.#runningOf(accountId) - 1
    if (left > 0) this.#running.set(accountId, left)
    else this.#running.delete(accountId)
    this.#free++
    this.#startNext()
  }

  #wait(accountId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(accountId)
      if (waiting === undefined) this.#waiting.set(accountId, [resolve])
      else waiting.push(resolve)
    })
  }

  #startNext(): void {
    const accountId = this.#findNext()
    if (accountId === undefined) return
    const [start, ...rest] = this.#waiting.get(accountId) ?? []
    this.#waiting.delete(accountId)
    if (rest.length > 0) this.#waiting.set(accountId, rest)
    this.#begin(accountId)
    start?.()
  }

  #findNext(): string | undefined {
    let next: string | undefined
    for (const accountId of this.#waiting.keys()) {
      if (next === undefined || this.#runningOf(accountId) < this.#runningOf(next)) next = accountId
    }
    return next
  }

  #runningOf(accountId: string): number {
    return this.#running.get(accountId) ?? 0
  }
}
