import { type ClienteleError, overloaded } from '../errors.ts'

export interface FairLimitOptions {
  /** How many tasks run at once */
  atOnce: number
  /** How many running tasks may have the same key. @default all */
  atOncePerKey?: number
  /**
   * Whether a key begins a task only while more are free than it has running: of nine, three keys leave one to a fourth, but
   * four may hold all
   */
  leavesFree?: boolean
  /**
   * How many tasks of one key may wait. A function is called each time, when the number depends on how long tasks take.
   */
  maxWaiting: number | ((key: string) => number)
  /** The message of the error when that many tasks wait */
  retryAfterSeconds: number
}

/**
 * Runs a few tasks at once. A task's key says on whose behalf it runs, such as an account's id or an endpoint's.
 * Waiting keys take turns: the key with the fewest running tasks is next, and among several the one that has waited
 * longest. However many tasks one key has, another key waits for at most one task of each key.
 */
export class FairLimit {
  readonly #options: FairLimitOptions
  /** The number of running tasks, by key */
  readonly #running = new Map<string, number>()
  /** Starts the waiting tasks, by key; the key that has waited longest is first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #free: number

  constructor(options: FairLimitOptions) {
    this.#options = options
    this.#free = options.atOnce
  }

  /** How many tasks run and how many wait, over all keys */
  get load(): { running: number; waiting: number } {
    let waiting = 0
    for (const tasks of this.#waiting.values()) waiting += tasks.length
    return { running: this.#options.atOnce - this.#free, waiting }
  }

  /** How many tasks with the key wait */
  waitingOf(key: string): number {
    return this.#waiting.get(key)?.length ?? 0
  }

  /** @throws ClienteleError `overloaded` when too many tasks with the key wait */
  assertRoom(key: string): void {
    const { maxWaiting } = this.#options
    const most = typeof maxWaiting === 'number' ? maxWaiting : maxWaiting(key)
    if (!this.#mayBegin(key) && this.waitingOf(key) >= most) throw this.#createRefusal()
  }

  /**
   * @param signal cancels a task that has not begun
   * @throws ClienteleError `overloaded` when too many tasks with the key wait, or the task was cancelled; any error of
   *   the task
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw this.#createRefusal()
    this.assertRoom(key)
    if (this.#mayBegin(key)) this.#begin(key)
    else await this.#wait(key, signal)
    try {
      return await task()
    } finally {
      this.#end(key)
    }
  }

  /** Begins a task if it may begin now; returns the function that ends it. It costs less than `run`. */
  begin(key: string): (() => void) | undefined {
    if (!this.#mayBegin(key)) return undefined
    this.#begin(key)
    return () => this.#end(key)
  }

  #mayBegin(key: string): boolean {
    const { atOnce, atOncePerKey = atOnce, leavesFree = false } = this.#options
    const running = this.#runningOf(key)
    return running < atOncePerKey && (leavesFree ? running : 0) < this.#free
  }

  #begin(key: string): void {
    this.#free--
    this.#running.set(key, this.#runningOf(key) + 1)
  }

  #end(key: string): void {
    const left = this.#runningOf(key) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
    this.#free++
    this.#startNext()
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        const others = this.#waiting.get(key)?.filter((other) => other !== start) ?? []
        if (others.length > 0) this.#waiting.set(key, others)
        else this.#waiting.delete(key)
        reject(this.#createRefusal())
      }
      signal?.addEventListener('abort', leave)
      const waiting = this.#waiting.get(key)
      if (waiting === undefined) this.#waiting.set(key, [start])
      else waiting.push(start)
    })
  }

  #startNext(): void {
    const key = this.#findNext()
    if (key === undefined) return
    const waiting = this.#waiting.get(key) ?? []
    const start = waiting.shift()
    // The key is last from now on.
    this.#waiting.delete(key)
    if (waiting.length > 0) this.#waiting.set(key, waiting)
    this.#begin(key)
    start?.()
  }

  #findNext(): string | undefined {
    let next: string | undefined
    for (const key of this.#waiting.keys()) {
      if (!this.#mayBegin(key)) continue
      if (next === undefined || this.#runningOf(key) < this.#runningOf(next)) next = key
    }
    return next
  }

  #runningOf(key: string): number {
    return this.#running.get(key) ?? 0
  }

  #createRefusal(): ClienteleError {
    const { retryAfterSeconds } = this.#options
    return overloaded(retryAfterSeconds)
  }
}
