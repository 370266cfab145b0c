import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../../base/runtime/fair-limit.ts'
import { settlesWithin } from '../../../base/runtime/settles-within.ts'

/** How many requests begin at once */
const atOnce = 16
/** How many of them one account may have: two accounts cannot take all. */
const atOncePerAccount = 6
/** The same for slow endpoints: they take no slot of the others. */
const slowAtOnce = 8
const slowAtOncePerAccount = 3
/** A request that takes longer is slow: it gives up its slot and continues. */
const quickMs = 1_000
/** After this time a request to a slow endpoint gives its slot up: nobody need wait to learn that it is slow. */
const slowHoldMs = 250
/** How long an endpoint counts as slow after a slow request, however quick others are */
const slowForMs = 300_000
/** How many slow endpoints are remembered */
const maxSlow = 10_000

/**
 * Begins requests to endpoints, a few at a time. Accounts take turns: an account waits for a second at most, even if many
 * endpoints of other accounts do not answer.
 */
export class DeliverySlots {
  readonly #slots: FairLimit
  readonly #slowSlots: FairLimit
  readonly #reads: FairLimit
  /** When the endpoints had their last slow request, the latest last */
  readonly #slow = new Map<string, number>()

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
    const at = this.#slow.get(id)
    return at !== undefined && performance.now() - at < slowForMs
  }

  /** @throws any error of `send` */
  async run<T>(
    { accountId, id }: { accountId: string; id: string },
    send: () => Promise<T>,
  ): Promise<T> {
    const isSlow = this.isSlow(id)
    const slots = isSlow ? this.#slowSlots : this.#slots
    const { answer } = await slots.run(accountId, async () => {
      const answer = send()
      const noted = settlesWithin(answer, quickMs).then((isQuick) => this.#note(id, isQuick))
      await (isSlow ? settlesWithin(noted, slowHoldMs) : noted)
      return { answer }
    })
    return answer
  }

  #note(id: string, isQuick: boolean): void {
    if (isQuick) return
    const now = performance.now()
    this.#slow.delete(id)
    this.#slow.set(id, now)
    for (const [first, at] of this.#slow) {
      if (this.#slow.size <= maxSlow && now - at < slowForMs) break
      this.#slow.delete(first)
    }
  }
}
