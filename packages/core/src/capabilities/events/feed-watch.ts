import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Observation } from '../../base/observe/observation.ts'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore, FeedHead, StoredEvent } from './store.ts'

/** Events of other processes are noticed after this time at the latest, in milliseconds. */
const pollMs = 500
/** Commits of this process within this time are checked together, in milliseconds. */
const gatherMs = 50
/** The maximum number of waiting readers per account; other reads must not be delayed by them. */
const maxWaitersPerAccount = 100
/** How many events are read at once. */
const pageSize = 500
/** For how many accounts events are read at once: requests need connections to the database, too. */
const accountsAtOnce = 3

interface Waiter {
  /** Events up to here are of no interest. */
  after: number
  isWanted: (event: StoredEvent) => boolean
  wake: () => void
}

/**
 * Lets readers wait for the next event. Commits of this process wake them within 50 ms. For commits of other processes
 * one query serves all waiting readers, and none holds a connection. New events of an account are read once for all its
 * readers and wake those that want them. Accounts take turns with each page: one whose events never end, or are locked,
 * keeps no other waiting.
 */
export class FeedWatch {
  readonly #repository: { events: EventStore }
  readonly #logger: Logger
  readonly #clock: () => number
  readonly #tell: Observation['feed']
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #listeners = new Set<(accountId: string) => void>()
  readonly #turns = new FairLimit({
    atOnce: accountsAtOnce,
    atOncePerKey: 1,
    maxWaiting: 1,
    retryAfterSeconds: 1,
  })
  /** The accounts whose events are to be checked */
  #woken = new Set<string>()
  #gathering: NodeJS.Timeout | undefined
  #polling: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param options.tell called for each reader that is woken */
  constructor(options: {
    repository: { events: EventStore }
    logger: Logger
    clock: () => number
    tell?: Observation['feed']
  }) {
    this.#repository = options.repository
    this.#logger = options.logger
    this.#clock = options.clock
    this.#tell = options.tell
  }

  /** Whether waiting has ended because the service ends. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether one more reader of an account may wait. */
  hasRoom(accountId: string): boolean {
    return (this.#waiters.get(accountId)?.size ?? 0) < maxWaitersPerAccount
  }

  /**
   * Resolves when there may be an event after that position, when the time is over, or when the service ends.
   *
   * @param isWanted which events to wait for. @default all
   */
  wait(
    accountId: string,
    after: number,
    milliseconds: number,
    signal?: AbortSignal,
    isWanted: (event: StoredEvent) => boolean = () => true,
  ): Promise<void> {
    if (this.#isClosed || milliseconds <= 0 || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(accountId) ?? new Set()
      const waiter = {
        after,
        isWanted,
        wake: () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', waiter.wake)
          if (!waiters.delete(waiter)) return
          if (waiters.size === 0) this.#waiters.delete(accountId)
          resolve()
        },
      }
      const timer = setTimeout(waiter.wake, milliseconds)
      signal?.addEventListener('abort', waiter.wake)
      waiters.add(waiter)
      this.#waiters.set(accountId, waiters)
      this.#schedulePoll()
    })
  }

  /** Calls the listener with the account after each commit of this process. Returns a function that stops it. */
  listen(listener: (accountId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Reports events of an account and wakes the readers that wait for one of them. */
  wake(accountId: string): void {
    for (const listener of this.#listeners) listener(accountId)
    if (this.#isClosed || !this.#waiters.has(accountId)) return
    this.#woken.add(accountId)
    this.#gathering ??= setTimeout(() => {
      const accountIds = this.#woken
      this.#woken = new Set()
      this.#gathering = undefined
      for (const each of accountIds) void this.#look(each)
    }, gatherMs)
  }

  /** Wakes all readers; later waits end at once. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#polling)
    clearTimeout(this.#gathering)
    for (const waiters of [...this.#waiters.values()])
      for (const waiter of [...waiters]) waiter.wake()
  }

  /** Reads the new events for waiting readers, until there are no more. */
  async #look(accountId: string): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#isClosed; ) {
        // What waits for its turn reads these events, too.
        if (this.#turns.waitingOf(accountId) > 0) return
        hasMore = await this.#turns.run(accountId, () => this.#readPage(accountId))
        // An SQLite database answers in the same turn of the event loop.
        if (hasMore) await endOfTurn()
      }
    } catch (error) {
      this.#warn(error)
    }
  }

  /** Wakes the readers that want one of the next events. Returns whether there are more. */
  async #readPage(accountId: string): Promise<boolean> {
    const waiters = [...(this.#waiters.get(accountId) ?? [])]
    if (waiters.length === 0) return false
    const after = Math.min(...waiters.map((waiter) => waiter.after))
    const page = await this.#repository.events.read(accountId, { after, limit: pageSize })
    for (const waiter of waiters) {
      const isAwaited = (event: StoredEvent) =>
        event.position > waiter.after && waiter.isWanted(event)
      const awaited = page.events.find(isAwaited)
      if (awaited !== undefined) {
        waiter.wake()
        this.#tell?.({ accountId, lagMs: Math.max(0, this.#clock() - awaited.createdAt) })
      } else waiter.after = Math.max(waiter.after, page.position)
    }
    return page.hasMore
  }

  #schedulePoll(): void {
    if (this.#polling !== undefined || this.#isClosed || this.#waiters.size === 0) return
    this.#polling = setTimeout(() => void this.#poll(), pollMs)
  }

  async #poll(): Promise<void> {
    const accountIds = [...this.#waiters.keys()]
    try {
      // The readers may be gone and the database closed.
      const heads =
        accountIds.length === 0 ? [] : await this.#repository.events.findHeads(accountIds)
      for (const head of heads) if (this.#isBehind(head)) void this.#look(head.accountId)
    } catch (error) {
      this.#warn(error)
    }
    this.#polling = undefined
    this.#schedulePoll()
  }

  #isBehind({ accountId, lastPosition, hasPending }: FeedHead): boolean {
    const waiters = [...(this.#waiters.get(accountId) ?? [])]
    return waiters.some(({ after }) => hasPending || lastPosition > after)
  }

  #warn(error: unknown): void {
    if (this.#isClosed) return
    this.#logger.warn({ error }, 'The feeds could not be checked; the check is repeated.')
  }
}
