import { lowestId } from '../base/input/id.ts'
import { isClosedFault } from '../base/runtime/closed-fault.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { Repository } from '../repository/repository.ts'

/** Whoever lives shorter than this leaves it to others. */
const firstMs = 10_000
const pauseMs = 60_000

interface SweeperOptions {
  repository: Pick<Repository, 'events' | 'storage'>
  clock: () => number
  /** How long events are kept */
  retentionMs: number
  logger: Logger
}

/**
 * Deletes what has outlived its time, a page of accounts a minute: in an account where nobody writes any more no write
 * clears away. Any number of processes may do it at once.
 */
export class Sweeper {
  readonly #options: SweeperOptions
  #after = lowestId
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | undefined
  #isClosed = false

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  start(): void {
    this.#schedule(firstMs)
  }

  /** Looks through the next page of accounts; after the last it begins anew. */
  async sweep(): Promise<void> {
    const { repository, clock, retentionMs, logger } = this.#options
    const now = clock()
    const times = { now, eventsBefore: now - retentionMs }
    try {
      const { agedFeeds, next } = await repository.storage.sweep(this.#after, times)
      for (const accountId of agedFeeds) {
        if (this.#isClosed) return
        await this.#purge(accountId, times.eventsBefore)
      }
      this.#after = next ?? lowestId
    } catch (error) {
      // The host closed its repository, and may be about to close this.
      this.#isClosed ||= isClosedFault(error)
      if (this.#isClosed) return
      logger.warn({ error }, 'What has expired could not be deleted; it goes later.')
    }
  }

  /** Ends after what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#sweeping
  }

  async #purge(accountId: string, before: number): Promise<void> {
    const { repository, logger } = this.#options
    try {
      while (!this.#isClosed && (await repository.events.purge(accountId, before)) > 0);
    } catch (error) {
      logger.warn({ accountId, error }, 'Old events could not be deleted.')
    }
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#sweeping = this.sweep().finally(() => {
        if (!this.#isClosed) this.#schedule(pauseMs)
      })
    }, milliseconds).unref()
  }
}
