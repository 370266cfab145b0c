import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { ClienteleError } from './errors.ts'
import type { Logger } from './logger.ts'

const atOnce = 16
const maxPending = 1000
const timeLimitMs = 30_000

/** Work that goes on beside the request that asked for it. */
export class Background {
  readonly #logger: Logger
  readonly #limit = pLimit(atOnce)
  readonly #pending = new Set<Promise<void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Begins after the answer: neither the time of the work nor its failure, which is logged, shows in it. What takes more
   * than 30 seconds has failed.
   *
   * @throws ClienteleError `overloaded` when too much is waiting
   */
  start(work: () => Promise<void>, details: object, failure: string): void {
    if (this.#pending.size >= maxPending) {
      throw new ClienteleError('overloaded', undefined, { retryAfterSeconds: 5 })
    }
    const done = new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
      .then(() => this.#limit(() => withTimeLimit(work)))
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

async function withTimeLimit(work: () => Promise<void>): Promise<void> {
  const over = new AbortController()
  const timeout = sleep(timeLimitMs, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error('It took more than 30 seconds.')
  })
  timeout.catch(() => {})
  try {
    await Promise.race([work(), timeout])
  } finally {
    over.abort()
  }
}
