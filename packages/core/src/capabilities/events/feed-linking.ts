import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore } from './store.ts'

/** So long after its commit an event may stand outside of the chain. */
const delayMs = 500

/** Links what was committed to the chain soon, also where nobody reads: what is not linked can be taken out unseen. */
export class FeedLinking {
  readonly #repository: { events: EventStore }
  readonly #logger: Logger
  #accountIds = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(repository: { events: EventStore }, logger: Logger) {
    this.#repository = repository
    this.#logger = logger
  }

  /** Notes that an event of the account was committed. */
  note(accountId: string): void {
    this.#accountIds.add(accountId)
    this.#timer ??= setTimeout(() => void this.#link(), delayMs).unref()
  }

  /** Links what is left. */
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
            'Events could not be linked; whoever reads does it.',
          ),
        )
    }
  }
}
