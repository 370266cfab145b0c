import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore } from './store.ts'

/** How long after its commit an event may stay unlinked. */
const delayMs = 500

/** Links committed events to the chain soon, even without readers: an unlinked event can be removed unnoticed. */
export class FeedLinking {
  readonly #repository: { events: EventStore }
  readonly #logger: Logger
  #accountIds = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(repository: { events: EventStore }, logger: Logger) {
    this.#repository = repository
    this.#logger = logger
  }

  /** Records that an event of the account was committed. */
  note(accountId: string): void {
    this.#accountIds.add(accountId)
    this.#timer ??= setTimeout(() => void this.#link(), delayMs).unref()
  }

  /** Links the remaining events. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#link()
  }

  async #link(): Promise<void> {
    this.#timer = undefined
    const accountIds = this.#accountIds
    this.#accountIds = new Set()
    for (const accountId of accountIds) {
      await this.#repository.events
        .findEnd(accountId)
        .catch((error: unknown) =>
          this.#logger.warn(
            { accountId, error },
            'Events could not be linked; the next read will link them.',
          ),
        )
    }
  }
}
