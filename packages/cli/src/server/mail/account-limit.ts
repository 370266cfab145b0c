interface Load {
  running: number
  /** Starts those that wait, the oldest first */
  waiting: (() => void)[]
}

/** Runs a few tasks of each account at once. */
export class AccountLimit {
  readonly #most: number
  readonly #loads = new Map<string, Load>()

  constructor(most: number) {
    this.#most = most
  }

  async run<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    const load = this.#loads.get(accountId) ?? { running: 0, waiting: [] }
    this.#loads.set(accountId, load)
    if (load.running < this.#most) load.running++
    else await new Promise<void>((resolve) => load.waiting.push(resolve))
    try {
      return await task()
    } finally {
      const start = load.waiting.shift()
      // It takes this one's place.
      if (start !== undefined) start()
      else if (--load.running === 0) this.#loads.delete(accountId)
    }
  }
}
