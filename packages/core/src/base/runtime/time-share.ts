export interface TimeShareOptions {
  /** Whether one more task may begin now */
  hasRoom: () => boolean
  /** Called when a task has ended, to start waiting tasks. @default starts the waiting tasks of this object */
  onEnd?: () => void
  /** Milliseconds. @default `performance.now` */
  now?: () => number
}

/** The time that one key has used, and its waiting tasks. */
interface Share {
  /** Milliseconds that its tasks took, added to the time at which the key joined */
  time: number
  running: number
  waiting: Waiting[]
}

interface Waiting {
  start: () => void
  expectedMs: number
}

const prunedFrom = 1_000
/** Of so many tasks that waited, one is that of the key with the least time, however long it may take. */
const oneOf = 8
const monotonicNow = () => performance.now()

/**
 * Runs a few tasks at once and shares time among keys, such as accounts' ids. Each key is charged the milliseconds that
 * its tasks took; the waiting key that would have the least after its next task is next, so that a short task goes before
 * long ones, yet short tasks of ever new keys do not hold up a long one for ever. A key that joins or returns starts at
 * the time of the key that started last: unused time is not saved up.
 *
 * (Weighted fair queueing. A task is charged an estimate first, and the difference when it has ended.)
 */
export class TimeShare {
  readonly #options: TimeShareOptions
  readonly #shares = new Map<string, Share>()
  /** The time of the key that started last; no waiting key has less. */
  #now = 0
  #running = 0
  #waiting = 0
  #pruneAt = prunedFrom
  #started = 0

  constructor(options: TimeShareOptions) {
    this.#options = options
  }

  /** How many tasks run */
  get running(): number {
    return this.#running
  }

  /** How many tasks wait */
  get waiting(): number {
    return this.#waiting
  }

  /** The number of known keys */
  get size(): number {
    return this.#shares.size
  }

  /** How many tasks of one key wait */
  waitingOf(key: string): number {
    return this.#shares.get(key)?.waiting.length ?? 0
  }

  /**
   * @param expectedMs the estimate that the task is charged until it has ended
   * @param leastMs what it is charged at least
   * @throws any error of the task
   */
  async run<T>(key: string, expectedMs: number, task: () => Promise<T>, leastMs = 0): Promise<T> {
    const share = this.#find(key)
    if (this.#options.hasRoom()) this.#begin(share, expectedMs)
    else await this.#wait(share, expectedMs)
    const { now = monotonicNow } = this.#options
    const startedAt = now()
    try {
      return await task()
    } finally {
      this.#end(share, Math.max(leastMs, now() - startedAt) - expectedMs)
    }
  }

  /** Starts the next waiting task if there is room; returns whether it did. */
  startNext(): boolean {
    if (this.#waiting === 0 || !this.#options.hasRoom()) return false
    const isAnyLength = ++this.#started % oneOf === 0
    let next: Share | undefined
    let earliest = Number.POSITIVE_INFINITY
    for (const share of this.#shares.values()) {
      const [first] = share.waiting
      if (first === undefined) continue
      const time = isAnyLength ? share.time : share.time + first.expectedMs
      if (time >= earliest) continue
      next = share
      earliest = time
    }
    const first = next?.waiting.shift()
    if (first === undefined) return false
    this.#waiting--
    first.start()
    return true
  }

  #find(key: string): Share {
    const known = this.#shares.get(key)
    if (known !== undefined) {
      if (known.running === 0 && known.waiting.length === 0)
        known.time = Math.max(known.time, this.#now)
      return known
    }
    const share = { time: this.#now, running: 0, waiting: [] }
    this.#shares.set(key, share)
    return share
  }

  #begin(share: Share, expectedMs: number): void {
    this.#running++
    share.running++
    this.#now = Math.max(this.#now, share.time)
    share.time += expectedMs
  }

  #wait(share: Share, expectedMs: number): Promise<void> {
    this.#waiting++
    return new Promise((resolve) => {
      const start = () => {
        this.#begin(share, expectedMs)
        resolve()
      }
      share.waiting.push({ start, expectedMs })
    })
  }

  #end(share: Share, moreMs: number): void {
    this.#running--
    share.running--
    share.time += moreMs
    if (this.#running === 0 && this.#waiting === 0) this.#shares.clear()
    else if (this.#shares.size > this.#pruneAt) this.#prune()
    if (this.#options.onEnd !== undefined) this.#options.onEnd()
    else while (this.startNext()) {}
  }

  /** Forgets the idle keys. A key that returns is then charged only for what it uses from then on. */
  #prune(): void {
    for (const [key, { running, waiting }] of this.#shares)
      if (running === 0 && waiting.length === 0) this.#shares.delete(key)
    this.#pruneAt = Math.max(prunedFrom, 2 * this.#shares.size)
  }
}
