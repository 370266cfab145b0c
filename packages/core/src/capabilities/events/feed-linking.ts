import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore } from './store.ts'

/** How long after its commit an event may stay unlinked. */
const delayMs = 500
/** How many accounts' events are linked at once: one whose feed is locked keeps no other waiting. */
const accountsAtOnce = 3

/** Links committed events to the chain soon, even without readers: an unlinked event can be removed unnoticed. */
export class FeedLinking {
  readonly #repository: { events: EventStore }
  readonly #logger: Logger
  readonly #turns = new FairLimit({
    atOnce: accountsAtOnce,
    atOncePerKey: 1,
    maxWaiting: 1,
    retryAfterSeconds: 1,
  })
  #accountIds = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** What the timer has begun */
  readonly #linking = new Set<Promise<void>>()

  constructor(repository: { events: EventStore }, logger: Logger) {
    this.#repository = repository
    this.#logger = logger
  }

  /** Records that an event of the account was committed. */
  note(accountId: string): void {
    this.#accountIds.add(accountId)
    this.#timer ??= setTimeout(() => {
      const linking = this.#link().finally(() => this.#linking.delete(linking))
      this.#linking.add(linking)
    }, delayMs).unref()
  }

  /** Links the remaining events. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#link()
    await Promise.all(this.#linking)
  }

  async #link(): Promise<void> {
    this.#timer = undefined
    const accountIds = this.#accountIds
    this.#accountIds = new Set()
    await Promise.all([...accountIds].map((accountId) => this.#linkOne(accountId)))
  }

  async #linkOne(accountId: string): Promise<void> {
    // What waits for its turn links these, too.
    if (this.#turns.waitingOf(accountId) > 0) return
    try {
      await this.#turns.run(accountId, () => this.#repository.events.findEnd(accountId))
    } catch (error) {
      this.#logger.warn(
        { accountId, error },
        'Events could not be linked; the next read will link them.',
      )
    }
  }
}
