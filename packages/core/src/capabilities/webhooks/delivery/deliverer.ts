import { setTimeout as sleep } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import { leaseMs } from '../delivery-times.ts'
import type { WebhooksServices } from '../services.ts'
import { AccountSearch } from './account-search.ts'
import {
  chooseEndpoints,
  countRoom,
  type DueEndpoint,
  mostTurns,
  type RunningTurn,
  type TurnKind,
} from './choose-endpoints.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { EndpointTurn } from './endpoint-turn.ts'

/** How many endpoints are looked up: more than there are turns, as those that may not have one yet are among them. */
const maxDue = 1_000
/** Commits of other processes are noticed after this time. */
const pollMs = 1_000
/** The minimum time between two checks, however much this process commits. */
const pauseMs = 10
/** Above this number of accounts one search over all accounts is cheaper, where they have few endpoints. */
const maxNamedAccounts = 200

/**
 * Delivers due events to the endpoints of all accounts. Any number of processes may do so: each endpoint is leased by
 * one at a time.
 */
export class Deliverer {
  readonly #services: WebhooksServices
  readonly #slots = new DeliverySlots(mostTurns)
  readonly #turns = new Set<RunningTurn & { ended: Promise<void> }>()
  readonly #giveUp = new AbortController()
  #isStopping = false
  #stopListening: () => void = () => {}
  /** The accounts that may have due deliveries */
  #accountIds = new Set<string>()
  /** The accounts of slow endpoints for which there was no room */
  #crowded = new Set<string>()
  /** Whether there may be more due endpoints than there was room for */
  #hasMore = false
  readonly #search: AccountSearch
  #searchedAt = Number.NEGATIVE_INFINITY
  /** Whether the last look failed */
  #isFaulty = false
  #passedAt = Number.NEGATIVE_INFINITY
  #wake: () => void = () => {}
  #loop: Promise<void> | undefined

  constructor(services: WebhooksServices) {
    this.#services = services
    this.#search = new AccountSearch(services)
  }

  start(): void {
    this.#stopListening = this.#services.feedWatch.listen(this.wake)
    this.#loop ??= this.#run()
  }

  /** An account may have due deliveries. */
  readonly wake = (accountId: string): void => {
    this.#accountIds.add(accountId)
    this.#wake()
  }

  /**
   * Starts no further deliveries, waits for those under way, and cancels them after this time: they are sent again
   * later, by any process. Resolves when every endpoint is released.
   */
  async close(milliseconds: number): Promise<void> {
    this.#isStopping = true
    this.#stopListening()
    this.#wake()
    await this.#loop
    const ended = Promise.all([...this.#turns].map((turn) => turn.ended))
    await pTimeout(ended, { milliseconds, fallback: () => undefined })
    this.#giveUp.abort()
    await ended
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#look()
      await sleep(pauseMs)
      if (!this.#isStopping && !this.#mayFindMore()) await this.#wait()
    }
  }

  #mayFindMore(): boolean {
    const isNamed = this.#accountIds.size > 0 || this.#hasMore
    return isNamed && !this.#isFaulty && countRoom(this.#turns, 'quick').ofAny > 0
  }

  /** Waits until this process commits an event, or it is time to check for commits of other processes. */
  async #wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, this.#searchedAt + pollMs - performance.now()))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }

  async #look(): Promise<void> {
    const { repository, clock, logger } = this.#services
    if (this.#turns.size >= mostTurns) return
    const named = this.#accountIds
    this.#accountIds = new Set()
    const now = performance.now()
    const isSearch =
      this.#hasMore || now - this.#searchedAt >= pollMs || named.size > maxNamedAccounts
    if (isSearch) {
      this.#searchedAt = now
      this.#hasMore = false
      for (const accountId of this.#crowded) named.add(accountId)
      this.#crowded.clear()
    } else if (named.size === 0) return
    try {
      const searched = isSearch ? await this.#search.next() : []
      const accountIds = searched && [...new Set([...named, ...searched])]
      // A fault of one account does not delay the others.
      const placed = await repository.webhooks.placeNews(accountIds).then(
        () => undefined,
        (reason: unknown) => ({ reason }),
      )
      for (const isFailing of [false, true]) {
        const kind = isFailing ? 'failing' : 'quick'
        if (countRoom(this.#turns, kind).most <= 0) continue
        // Any number of slow ones may wait: the others are behind them.
        const limit = isFailing ? maxDue : maxDue + this.#slots.slowCount
        const wanted = { isFailing, limit, accountIds }
        const due = await repository.webhooks.findDue(clock(), wanted)
        const { slow = [], others = [] } = Object.groupBy(due, ({ id }) =>
          !isFailing && this.#slots.isSlow(id) ? 'slow' : 'others',
        )
        const { hasBegun, hasMore } = await this.#begin(others, kind)
        await this.#beginSlow(slow, isSearch)
        if (!hasMore && due.length < limit) continue
        if (!hasBegun) continue
        // There may be more due endpoints than there was room for.
        if (accountIds === undefined) this.#hasMore = true
        else
          for (const accountId of [...named, ...due.map((each) => each.accountId)])
            this.#accountIds.add(accountId)
      }
      const hasSearched = searched === undefined || searched.length > 0
      if (isSearch && hasSearched && now - this.#passedAt >= pollMs) {
        this.#passedAt = now
        await repository.webhooks.passOver(clock(), accountIds)
      }
      this.#isFaulty = false
      if (placed !== undefined) throw placed.reason
    } catch (error) {
      // They are looked at again in a while, or with the next event.
      this.#isFaulty = true
      for (const accountId of named) this.#accountIds.add(accountId)
      logger.warn({ error }, 'The due webhooks could not be read; the check is repeated.')
    }
  }

  /** Begins turns of due endpoints, as many as there is room for. */
  async #begin(
    due: readonly DueEndpoint[],
    kind: TurnKind,
  ): Promise<{ hasBegun: boolean; hasMore: boolean }> {
    const { chosen, left } = chooseEndpoints(due, this.#turns, kind)
    await this.#takeAll(chosen, kind)
    return { hasBegun: chosen.length > 0, hasMore: left.length > 0 }
  }

  /** Slow endpoints without room wait for the next search: the loop must not run until a request ends. */
  async #beginSlow(due: readonly DueEndpoint[], isSearch: boolean): Promise<void> {
    if (due.length === 0) return
    const counts = this.#countTurns()
    const { next = [], later = [] } = Object.groupBy(due, ({ accountId }) =>
      isSearch || !this.#isCrowded(accountId, counts.get(accountId) ?? 0, counts)
        ? 'next'
        : 'later',
    )
    const { chosen, left } = chooseEndpoints(next, this.#turns, 'slow')
    // Before any begins: its turn is as short as it must be then.
    for (const { accountId } of [...left, ...later]) this.#crowded.add(accountId)
    await this.#takeAll(chosen, 'slow')
  }

  /**
   * Whether slow endpoints of another account wait that has no more turns than that many: what has much to send must not take
   * its own place again before them.
   */
  #isCrowded(accountId: string, turns: number, counts: ReadonlyMap<string, number>): boolean {
    for (const other of this.#crowded)
      if (other !== accountId && (counts.get(other) ?? 0) <= turns) return true
    return false
  }

  /** How many turns each account has */
  #countTurns(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { accountId } of this.#turns) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
    return counts
  }

  /** Whether a turn of a slow endpoint has to be short, for others that wait */
  #isShort(accountId: string): boolean {
    if (this.#crowded.size === 0) return false
    const counts = this.#countTurns()
    // The turn itself is one of them.
    return this.#isCrowded(accountId, (counts.get(accountId) ?? 0) - 1, counts)
  }

  async #takeAll(chosen: readonly DueEndpoint[], kind: TurnKind): Promise<void> {
    await Promise.all(chosen.map(({ accountId, id }) => this.#take(accountId, id, kind)))
  }

  async #take(accountId: string, webhookId: string, kind: TurnKind): Promise<void> {
    const { repository, clock, logger, newId } = this.#services
    if (this.#isStopping) return
    const now = clock()
    // The lease belongs to the turn, not to the process: a turn that has lost its endpoint must not overwrite the next
    // one's progress.
    const holder = newId()
    const lease = { holder, now, until: now + leaseMs }
    const webhook = await repository.webhooks.lease(accountId, webhookId, lease)
    // Another process was first.
    if (webhook === undefined) return
    const turn = new EndpointTurn(this.#services, webhook, {
      holder,
      slots: this.#slots,
      signal: this.#giveUp.signal,
      isStopping: () => this.#isStopping,
      isCrowded: () => kind === 'slow' && this.#isShort(accountId),
    })
    const running = { accountId, webhookId, kind, ended: Promise.resolve() }
    // Before it begins: it asks how many turns its account has.
    this.#turns.add(running)
    running.ended = turn
      .run()
      .catch((error: unknown) => {
        // The endpoint is not released: it is due again when its lease ends, and not at once.
        logger.error(
          { accountId, webhookId, error },
          'The deliveries to a webhook failed unexpectedly.',
        )
      })
      .finally(() => {
        this.#turns.delete(running)
        this.wake(accountId)
      })
  }
}
