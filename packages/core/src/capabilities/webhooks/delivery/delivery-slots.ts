import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../../base/runtime/fair-limit.ts'
import { settlesWithin } from '../../../base/runtime/settles-within.ts'
import type { LeasedWebhook } from '../store.ts'
import { SlowMemory } from './slow-memory.ts'

/** How many requests begin at once */
const atOnce = 16
/** How many of them one account may have: two accounts cannot take all. */
const atOncePerAccount = 6
/** The same for slow endpoints: they take no slot of the others. */
const slowAtOnce = 8
const slowAtOncePerAccount = 3
/** A request that takes longer is slow: it gives up its slot and continues. */
const quickMs = 1_000
/** After this time a request to a slow endpoint gives its slot up: that it is slow is known. */
const slowHoldMs = 250

/**
 * Begins requests to endpoints, a few at a time. Accounts take turns: an account waits for a second at most, even if many
 * endpoints of other accounts do not answer.
 */
export class DeliverySlots {
  readonly #slots: FairLimit
  readonly #slowSlots: FairLimit
  readonly #reads: FairLimit
  readonly #slow = new SlowMemory()
  readonly #slowAccounts = new SlowMemory()

  /** @param maxWaiting how many requests, or endpoints, of an account may wait */
  constructor(maxWaiting: number) {
    this.#slots = new FairLimit({
      atOnce,
      atOncePerKey: atOncePerAccount,
      maxWaiting,
      retryAfterSeconds: 1,
    })
    this.#slowSlots = new FairLimit({
      atOnce: slowAtOnce,
      atOncePerKey: slowAtOncePerAccount,
      maxWaiting,
      retryAfterSeconds: 1,
    })
    this.#reads = new FairLimit({
      atOnce: maxWaiting,
      atOncePerKey: 1,
      maxWaiting,
      retryAfterSeconds: 1,
    })
  }

  /**
   * Reads messages for one endpoint of an account after the other, each in a turn of the event loop of its own: ten pages
   * of large events in one turn would delay all accounts.
   *
   * @throws any error of `read`
   */
  read<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    return this.#reads.run(accountId, async () => {
      const page = await read()
      await endOfTurn()
      return page
    })
  }

  /** How many endpoints may count as slow */
  get slowCount(): number {
    return this.#slow.size
  }

  /** Whether the endpoint had a slow request lately */
  isSlow(id: string): boolean {
    return this.#slow.has(id)
  }

  /** @throws any error of `send` */
  async run<T>(
    { accountId, id, attemptCount }: Pick<LeasedWebhook, 'accountId' | 'id' | 'attemptCount'>,
    send: () => Promise<T>,
  ): Promise<T> {
    // A new endpoint may be one that was slow, was deleted and made again.
    const isSlow = this.isSlow(id) || (attemptCount === 0 && this.#slowAccounts.has(accountId))
    const slots = isSlow ? this.#slowSlots : this.#slots
    const { answer } = await slots.run(accountId, async () => {
      const answer = send()
      const noted = settlesWithin(answer, quickMs).then((isQuick) => {
        if (isQuick) return
        this.#slow.add(id)
        this.#slowAccounts.add(accountId)
      })
      await (isSlow ? settlesWithin(noted, slowHoldMs) : noted)
      return { answer }
    })
    return answer
  }
}
