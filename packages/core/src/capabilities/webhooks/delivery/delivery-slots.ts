import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../../base/runtime/fair-limit.ts'
import { settlesWithin } from '../../../base/runtime/settles-within.ts'

/** How many requests begin at once */
const atOnce = 16
/** How many of them one account may have: two accounts cannot take all. */
const atOncePerAccount = 6
/** The same for endpoints whose last attempt failed: they take no slot of the others. */
const failingAtOnce = 8
const failingAtOncePerAccount = 3
/** A request that takes longer gives up its slot and continues. */
const quickMs = 1_000

/**
 * Begins requests to endpoints, a few at a time. Accounts take turns: an account waits for a second at most, even if many
 * endpoints of other accounts do not answer.
 */
export class DeliverySlots {
  readonly #slots: FairLimit
  readonly #failingSlots: FairLimit
  readonly #reads: FairLimit

  /** @param maxWaiting how many requests, or endpoints, of an account may wait */
  constructor(maxWaiting: number) {
    this.#slots = new FairLimit({
      atOnce,
      atOncePerKey: atOncePerAccount,
      maxWaiting,
      retryAfterSeconds: 1,
    })
    this.#failingSlots = new FairLimit({
      atOnce: failingAtOnce,
      atOncePerKey: failingAtOncePerAccount,
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

  /** @throws any error of `send` */
  async run<T>(
    { accountId, isFailing }: { accountId: string; isFailing: boolean },
    send: () => Promise<T>,
  ): Promise<T> {
    const slots = isFailing ? this.#failingSlots : this.#slots
    const { answer } = await slots.run(accountId, async () => {
      const answer = send()
      await settlesWithin(answer, quickMs)
      return { answer }
    })
    return answer
  }
}
