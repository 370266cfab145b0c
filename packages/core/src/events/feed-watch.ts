import type { Repository } from '../repository.ts'
import type { Logger } from '../runtime/logger.ts'
import type { FeedHead } from './store.ts'

/** Other processes' events are seen after this time at the latest, in milliseconds. */
const pollMs = 500

interface Waiter {
  after: number
  wake: () => void
}

/**
 * Lets readers wait for the next event. What this process commits wakes them at once; for what others commit one look at
 * the database serves all who wait, and nobody holds a connection.
 */
export class FeedWatch {
  readonly #repository: Pick<Repository, 'events'>
  readonly #logger: Logger
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #listeners = new Set<(accountId: string) => void>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ repository, logger }: { repository: Pick<Repository, 'events'>; logger: Logger }) {
    this.#repository = repository
    this.#logger = logger
  }

  /** Whether those who wait are answered: the service ends. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Resolves when there may be something behind that position, after this time, or when the service ends. */
  wait(
    accountId: string,
    after: number,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#isClosed || milliseconds <= 0 || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(accountId) ?? new Set()
      const waiter = {
        after,
        wake: () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', waiter.wake)
          waiters.delete(waiter)
          if (waiters.size === 0) this.#waiters.delete(accountId)
          resolve()
        },
      }
      const timer = setTimeout(waiter.wake, milliseconds)
      signal?.addEventListener('abort', waiter.wake)
      waiters.add(waiter)
      this.#waiters.set(accountId, waiters)
      this.#schedule()
    })
  }

  /** Calls whenever this process has committed something, with its account. Answers with what ends it. */
  listen(listener: (accountId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Wakes those who wait for events of an account. */
  wake(accountId: string): void {
    for (const listener of this.#listeners) listener(accountId)
    for (const waiter of [...(this.#waiters.get(accountId) ?? [])]) waiter.wake()
  }

  /** Wakes everybody; from now on nobody waits. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const accountId of [...this.#waiters.keys()]) this.wake(accountId)
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => void this.#poll(), pollMs)
  }

  async #poll(): Promise<void> {
    const accountIds = [...this.#waiters.keys()]
    try {
      // Whoever waited may be gone, and the database closed.
      const heads =
        accountIds.length === 0 ? [] : await this.#repository.events.findHeads(accountIds)
      for (const head of heads) this.#wakeFor(head)
    } catch (error) {
      this.#logger.warn({ error }, 'The feeds could not be looked at; the next look follows.')
    }
    this.#timer = undefined
    this.#schedule()
  }

  #wakeFor({ accountId, lastPosition, hasPending }: FeedHead): void {
    for (const waiter of [...(this.#waiters.get(accountId) ?? [])])
      if (hasPending || lastPosition > waiter.after) waiter.wake()
  }
}
