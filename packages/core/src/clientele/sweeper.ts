import { lowestId } from '../base/input/id.ts'
import { isClosedFault } from '../base/runtime/closed-fault.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { Repository } from '../repository/repository.ts'

/** A process that lives shorter than this leaves sweeping to others. */
const firstMs = 10_000
const pauseMs = 60_000
/** The pause between two pages of accounts, which leaves the database to requests */
const pagePauseMs = 1_000
/** A margin for processes whose clock is behind and that may still use an expired row. */
const lateMs = 10_000

interface SweeperOptions {
  repository: Pick<Repository, 'events' | 'storage'>
  clock: () => number
  /** How long events are kept */
  retentionMs: number
  logger: Logger
}

/**
 * Deletes expired rows, as the descriptions of the tables define them, and old events. It starts every minute and
 * continues until nothing is left. Any number of processes may do so at once.
 */
export class Sweeper {
  readonly #options: SweeperOptions
  #timer: NodeJS.Timeout | undefined
  #wake = () => {}
  #sweeping: Promise<void> | undefined
  #isClosed = false

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  start(): void {
    this.#sweeping = this.#sweepAlways()
  }

  /** Walks once through all accounts. */
  async sweep(): Promise<void> {
    const { repository, clock, retentionMs, logger } = this.#options
    const now = clock() - lateMs
    const times = { now, eventsBefore: now - retentionMs }
    let after: string | undefined = lowestId
    try {
      while (after !== undefined && !this.#isClosed) {
        const { agedFeeds, next } = await repository.storage.sweep(after, times)
        for (const accountId of agedFeeds) await this.#purge(accountId, times.eventsBefore)
        after = next
        if (after !== undefined) await this.#rest(pagePauseMs)
      }
    } catch (error) {
      // The host closed its repository and may be about to close this Clientele.
      this.#isClosed ||= isClosedFault(error)
      if (this.#isClosed) return
      logger.warn({ error }, 'Expired rows could not be deleted; the sweeper will retry.')
    }
  }

  /** Stops after the work under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#wake()
    await this.#sweeping
  }

  async #sweepAlways(): Promise<void> {
    await this.#rest(firstMs)
    while (!this.#isClosed) {
      await this.sweep()
      await this.#rest(pauseMs)
    }
  }

  async #purge(accountId: string, before: number): Promise<void> {
    const { repository, logger } = this.#options
    try {
      while (!this.#isClosed && (await repository.events.purge(accountId, before)) > 0) {
        // Other requests are answered first.
        await new Promise(setImmediate)
      }
    } catch (error) {
      logger.warn({ accountId, error }, 'Old events could not be deleted.')
    }
  }

  async #rest(milliseconds: number): Promise<void> {
    if (this.#isClosed) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, milliseconds).unref()
    })
  }
}
