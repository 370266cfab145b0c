import type { Logger } from '../base/runtime/logger.ts'
import type { NewEvent } from '../capabilities/events/new-event.ts'
import type { EventStore } from '../capabilities/events/store.ts'
import type { HostTransaction, TransactionOutcome } from '../sql/host-transaction.ts'
import type { StoredUser } from '../user-model/stored-user.ts'

const firstPauseMs = 2
const maxPauseMs = 250

/** An event as it waits for its commit, with the user who goes with it. */
export interface WaitingEvent {
  event: NewEvent
  user: StoredUser | undefined
}

export interface CommitWatchOptions {
  events: Pick<EventStore, 'has'>
  /** Tells what has been committed */
  emit(event: NewEvent, user: StoredUser | undefined): void
  logger: Logger
}

/**
 * Tells listeners in this process of what was written in a transaction of the host's, once it is committed. Nobody says
 * when that is, so it asks: soon at first, then ever more seldom. The feed needs none of this.
 */
export class CommitWatch {
  readonly #options: CommitWatchOptions
  /** What is told of a handle's transactions keeps the order in which it was written. */
  readonly #last = new WeakMap<object, Promise<void>>()
  readonly #timers = new Map<NodeJS.Timeout, () => void>()
  #isClosed = false

  constructor(options: CommitWatchOptions) {
    this.#options = options
  }

  /** @param transaction in which the events have been written, before anything else is done on its handle */
  add(handle: object, transaction: HostTransaction, waiting: readonly WaitingEvent[]): void {
    const [first] = waiting
    if (first === undefined) return
    const follow = transaction.follow()
    const before = this.#last.get(handle) ?? Promise.resolve()
    const told = before.then(async () => {
      if ((await this.#settle(follow, first.event)) !== 'committed') return
      for (const { event, user } of waiting) this.#options.emit(event, user)
    })
    this.#last.set(handle, told)
  }

  /** From now on nobody is told of what commits. */
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
  ): Promise<TransactionOutcome> {
    const { events, logger } = this.#options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await this.#pause(pauseMs)
      if (this.#isClosed) return 'open'
      try {
        const found = await outcome(() => events.has(accountId, id))
        if (found !== 'open') return found
      } catch (error) {
        const message =
          "Whether a host's transaction was committed could not be read; it is asked again."
        logger.warn({ accountId, eventId: id, error }, message)
      }
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
