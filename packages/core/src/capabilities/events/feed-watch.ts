import type { Observation } from '../../base/observe/observation.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { EventStore, FeedHead, StoredEvent } from './store.ts'

/** Other processes' events are seen after this time at the latest, in milliseconds. */
const pollMs = 500
/** What this process commits within this time is looked at together, in milliseconds. */
const gatherMs = 50
/** So many readers of an account may wait; nobody else's reads shall wait for theirs. */
const maxWaitersPerAccount = 100
/** So many events are looked at at once. */
const pageSize = 500

interface Waiter {
  /** Up to here nothing is of interest. */
  after: number
  isWanted: (event: StoredEvent) => boolean
  wake: () => void
}

/**
 * Lets readers wait for the next event. What this process commits wakes them within 50 ms; for what others commit one
 * look at the database serves all who wait, and nobody holds a connection. What came is read once for all who wait for an
 * account's events, and wakes those who want it.
 */
export class FeedWatch {
  readonly #repository: { events: EventStore }
  readonly #logger: Logger
  readonly #clock: () => number
  readonly #tell: Observation['feed']
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #listeners = new Set<(accountId: string) => void>()
  /** Accounts whose events are to be looked at */
  #woken = new Set<string>()
  #gathering: NodeJS.Timeout | undefined
  #polling: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param options.tell hears of everybody who is woken */
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

  /** Whether those who wait are answered: the service ends. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether one more reader of an account may wait. */
  hasRoom(accountId: string): boolean {
    return (this.#waiters.get(accountId)?.size ?? 0) < maxWaitersPerAccount
  }

  /**
   * Resolves when there may be something behind that position, after this time, or when the service ends.
   *
   * @param isWanted which events are waited for; all where it is left out
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

  /** Calls whenever this process has committed something, with its account. Answers with what ends it. */
  listen(listener: (accountId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Tells of events of an account: those who wait for one of them are woken. */
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

  /** Wakes everybody; from now on nobody waits. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#polling)
    clearTimeout(this.#gathering)
    for (const waiters of [...this.#waiters.values()])
      for (const waiter of [...waiters]) waiter.wake()
  }

  /** Reads what came for those who wait, and wakes those who want it. */
  async #look(accountId: string): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#isClosed; ) {
        const waiters = [...(this.#waiters.get(accountId) ?? [])]
        if (waiters.length === 0) return
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
        hasMore = page.hasMore
      }
    } catch (error) {
      this.#warn(error)
    }
  }

  #schedulePoll(): void {
    if (this.#polling !== undefined || this.#isClosed || this.#waiters.size === 0) return
    this.#polling = setTimeout(() => void this.#poll(), pollMs)
  }

  async #poll(): Promise<void> {
    const accountIds = [...this.#waiters.keys()]
    try {
      // Whoever waited may be gone, and the database closed.
      const heads =
        accountIds.length === 0 ? [] : await this.#repository.events.findHeads(accountIds)
      for (const head of heads) if (this.#isBehind(head)) await this.#look(head.accountId)
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
    this.#logger.warn({ error }, 'The feeds could not be looked at; the next look follows.')
  }
}
