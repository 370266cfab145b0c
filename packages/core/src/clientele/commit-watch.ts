import type { Logger } from '../base/runtime/logger.ts'
import type { NewEvent } from '../capabilities/events/new-event.ts'
import type { EventStore } from '../capabilities/events/store.ts'
import type { HostTransaction, TransactionOutcome } from '../sql/host-transaction.ts'
import type { StoredUser } from '../user-model/stored-user.ts'

const firstPauseMs = 2
const maxPauseMs = 250

/** An event that waits for its commit, and its user. */
export interface WaitingEvent {
  event: NewEvent
  user: StoredUser | undefined
}

export interface CommitWatchOptions {
  events: Pick<EventStore, 'has'>
  /** Publishes committed events */
  emit(event: NewEvent, user: StoredUser | undefined): void
  logger: Logger
}

/**
 * Publishes events that were written in a transaction of the host's to the listeners of this process, after the commit.
 * The database does not announce the commit, so this class polls, often at first, then less often. The feed does not
 * need it.
 */
export class CommitWatch {
  readonly #options: CommitWatchOptions
  /** By handle: keeps the order in which its transactions were written. */
  readonly #last = new WeakMap<object, Promise<void>>()
  readonly #timers = new Map<NodeJS.Timeout, () => void>()
  #isClosed = false

  constructor(options: CommitWatchOptions) {
    this.#options = options
  }

  /** @param transaction the one in which the events were written; call this before other work on its handle */
  add(handle: object, transaction: HostTransaction, waiting: readonly WaitingEvent[]): void {
    const [first] = waiting
    if (first === undefined) return
    const follow = transaction.follow()
    const addedAt = performance.now()
    const before = this.#last.get(handle) ?? Promise.resolve()
    const told = before.then(async () => {
      // Transactions that came while others were settled are checked at once, or they would wait for ever longer.
      const passedMs = performance.now() - addedAt
      if ((await this.#settle(follow, first.event, passedMs)) !== 'committed') return
      for (const { event, user } of waiting) this.#options.emit(event, user)
    })
    this.#last.set(handle, told)
  }

  /** Stops publishing. */
  close(): void {
    this.#isClosed = true
    for (const [timer, resolve] of this.#timers) {
      clearTimeout(timer)
      resolve()
    }
    this.#timers.clear()
  }

  async #settle(
    outcome: ReturnType<HostTransaction['follow']>,
    { accountId, id }: NewEvent,
    passedMs: number,
  ): Promise<TransactionOutcome> {
    const { events, logger } = this.#options
    if (passedMs < firstPauseMs) await this.#pause(firstPauseMs)
    for (let pauseMs = 2 * firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      if (this.#isClosed) return 'open'
      try {
        const found = await outcome(() => events.has(accountId, id))
        if (found !== 'open') return found
      } catch (error) {
        const message =
          "It could not be checked whether a host's transaction was committed; the check is repeated."
        logger.warn({ accountId, eventId: id, error }, message)
      }
      await this.#pause(pauseMs)
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, milliseconds).unref()
      this.#timers.set(timer, resolve)
    })
  }
}
