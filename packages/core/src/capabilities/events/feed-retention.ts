import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore } from './store.ts'

/** With every so many events of this process some that are too old go. */
const eventsPerPurge = 256

/** Lets events go when their time has come: a few at a time, with a small share of the writes. */
export class FeedRetention {
  readonly #repository: { events: EventStore }
  readonly #clock: () => number
  readonly #retentionMs: number
  readonly #logger: Logger
  #written = 0

  constructor(options: {
    repository: { events: EventStore }
    clock: () => number
    retentionDays: number
    logger: Logger
  }) {
    this.#repository = options.repository
    this.#clock = options.clock
    this.#retentionMs = options.retentionDays * 24 * 3_600_000
    this.#logger = options.logger
  }

  /** Notes that an event of the account was written. */
  note(accountId: string): void {
    if (++this.#written % eventsPerPurge !== 0) return
    this.#repository.events
      .purge(accountId, this.#clock() - this.#retentionMs)
      .catch((error: unknown) =>
        this.#logger.warn(
          { accountId, error },
          'Old events could not be deleted; later ones go with them.',
        ),
      )
  }
}
