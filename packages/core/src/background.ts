import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/** Work that goes on beside the request that asked for it. */
export class Background {
  readonly #logger: Logger
  readonly #pending = new Set<Promise<void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Begins after the answer: neither the time of the work nor its failure, which is logged, shows in it. */
  start(work: () => Promise<void>, details: object, failure: string): void {
    const done = new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
      .then(work)
      .catch((error: unknown) => this.#logger.error({ ...details, error }, failure))
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
  }

  /** Resolves when the work has ended, or after this time, whichever is first. */
  async settle(milliseconds: number): Promise<void> {
    const over = new AbortController()
    const timeout = sleep(milliseconds, undefined, { signal: over.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#pending), timeout])
    over.abort()
  }
}
