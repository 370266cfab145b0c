import { setTimeout as sleep } from 'node:timers/promises'
import { FairLimit } from './fair-limit.ts'
import type { Logger } from './logger.ts'

const atOnce = 16
const maxWaiting = 984
const timeLimitMs = 30_000

/** Work that goes on beside the request that asked for it. Accounts take turns. */
export class TaskQueue {
  readonly #logger: Logger
  readonly #limit = new FairLimit({ atOnce, maxWaiting, retryAfterSeconds: 5 })
  readonly #pending = new Set<Promise<void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Begins after the answer: neither the time of the work nor its failure, which is logged, shows in it. What takes more
   * than 30 seconds has failed.
   *
   * @throws ClienteleError `overloaded` when too much of the account's is waiting
   */
  start(
    work: () => Promise<void>,
    details: { accountId: string; [name: string]: string },
    failure: string,
  ): void {
    this.#limit.assertRoom(details.accountId)
    const done = this.#limit
      .run(details.accountId, () => afterThisTurn().then(() => withTimeLimit(work)))
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

function afterThisTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
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
