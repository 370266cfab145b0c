import pTimeout from 'p-timeout'
import { FairLimit } from './fair-limit.ts'
import type { Logger } from './logger.ts'

/** How much work runs at once, in this process and of one account, and how much of an account waits */
const atOnce = 64
const atOncePerAccount = 16
const maxWaiting = 984
const timeLimitMs = 30_000

/**
 * Runs work that continues after the request that started it. Accounts take turns, and work of one account that hangs leaves
 * places to the others.
 */
export class TaskQueue {
  readonly #logger: Logger
  readonly #limit = new FairLimit({
    atOnce,
    atOncePerKey: atOncePerAccount,
    maxWaiting,
    retryAfterSeconds: 5,
  })
  readonly #pending = new Set<Promise<void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get load(): FairLimit['load'] {
    return this.#limit.load
  }

  /**
   * Takes a place, does the first part, and starts the work with its result after the response, so that the response shows
   * neither its duration nor its failure. The place is taken first: otherwise something could be stored or counted whose
   * work never begins because the queue is full. Failures are logged. Work that takes more than 30 seconds has failed.
   *
   * @throws ClienteleError `overloaded` when too much work of the account is waiting; any error of the first part, and then
   *   the place is free again
   */
  async start<T>(
    first: () => Promise<T>,
    work: (result: T) => Promise<void>,
    details: { accountId: string; [name: string]: string },
    failure: string,
  ): Promise<T> {
    this.#limit.assertRoom(details.accountId)
    const part = Promise.withResolvers<{ result: T } | undefined>()
    const leaving = new AbortController()
    const workAfter = async () => {
      const done = await part.promise
      if (done === undefined) return
      await afterThisTurn()
      await work(done.result)
    }
    const ended = this.#limit
      .run(details.accountId, () => withTimeLimit(workAfter), leaving.signal)
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) this.#logger.error({ ...details, error }, failure)
      })
      .finally(() => this.#pending.delete(ended))
    this.#pending.add(ended)
    try {
      const result = await first()
      part.resolve({ result })
      return result
    } catch (error) {
      leaving.abort()
      part.resolve(undefined)
      throw error
    }
  }

  /** Resolves when the work has ended or after this time, whichever comes first. */
  async settle(milliseconds: number): Promise<void> {
    await pTimeout(Promise.all(this.#pending), { milliseconds, fallback: () => undefined })
  }
}

function afterThisTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function withTimeLimit(work: () => Promise<void>): Promise<void> {
  return pTimeout(work(), {
    milliseconds: timeLimitMs,
    message: 'It took more than 30 seconds.',
    customTimers: { setTimeout: setQuietTimeout, clearTimeout },
  })
}

/** A hanging mail server must not keep the process alive. */
const setQuietTimeout = ((work: () => void, milliseconds: number) =>
  setTimeout(work, milliseconds).unref()) as typeof setTimeout // p-timeout only calls it and does not promisify it
