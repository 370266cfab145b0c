import { lowestId } from '../base/input/id.ts'
import { isClosedFault } from '../base/runtime/closed-fault.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { Repository, SweepTimes } from '../repository/repository.ts'
import type { Doubt, SteadyTime } from './steady-time.ts'

/** The first requests of a new process come before what is expired. */
const firstMs = 10_000
const pauseMs = 60_000
/** The pause between two pages of accounts, which leaves the database to requests */
const pagePauseMs = 1_000
/** A margin for processes whose clock is behind and that may still use an expired row: clocks are minutes apart at most. */
const lateMs = 600_000

interface SweeperOptions {
  repository: Pick<Repository, 'events' | 'storage'>
  clock: () => number
  /** Whether the clock can be believed; undefined: it is the host's own, which is not doubted */
  time?: SteadyTime | undefined
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
  #isCompared = false
  /** The kind of the doubt that was logged */
  #toldOf: Doubt['kind'] | undefined

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  start(): void {
    this.#sweeping = this.#sweepAlways()
  }

  /** Sweeps if the clock can be believed: a wrong clock would end sessions and delete events for good. */
  async sweepIfSteady(): Promise<void> {
    if (!(await this.#isSteady())) return
    await this.sweep()
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
        for (const accountId of agedFeeds) await this.#purge(accountId, times)
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
      await this.sweepIfSteady()
      await this.#rest(pauseMs)
    }
  }

  async #isSteady(): Promise<boolean> {
    const { repository, logger, time } = this.#options
    if (time === undefined) return true
    try {
      if (!this.#isCompared)
        time.compareWithNewest(await repository.storage.findNewestEvent(time.startedAt))
      this.#isCompared = true
    } catch (error) {
      this.#isClosed ||= isClosedFault(error)
      if (!this.#isClosed) logger.warn({ error }, 'The newest event could not be read.')
      return false
    }
    const doubt = time.look()
    if (doubt !== undefined && doubt.kind !== this.#toldOf)
      logger.warn(
        { aheadSeconds: Math.round(doubt.aheadMs / 1000) },
        doubt.kind === 'jumped'
          ? 'The clock has jumped ahead. No expired data is deleted until it has run evenly for an hour.'
          : 'The newest event is more than a day old. No expired data is deleted for an hour, in case the clock is wrong.',
      )
    this.#toldOf = doubt?.kind
    return doubt === undefined
  }

  async #purge(accountId: string, times: SweepTimes): Promise<void> {
    const { repository, logger } = this.#options
    try {
      let deleted = 1
      while (deleted > 0 && !this.#isClosed)
        deleted = await repository.events.purge(accountId, times)
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
