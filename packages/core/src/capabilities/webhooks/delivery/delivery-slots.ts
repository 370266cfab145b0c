import { FairLimit } from '../../../base/runtime/fair-limit.ts'

/** How many requests begin at once */
const atOnce = 16
/** How many of them one account may have: two accounts cannot take all. */
const atOncePerAccount = 6
/** A request that takes longer gives up its slot and continues. */
const quickMs = 1_000

/**
 * Begins requests to endpoints, a few at a time. Accounts take turns: an account waits for a second at most, even if many
 * endpoints of other accounts do not answer.
 */
export class DeliverySlots {
  readonly #slots: FairLimit

  /** @param maxWaiting how many requests of an account may wait */
  constructor(maxWaiting: number) {
    this.#slots = new FairLimit({
      atOnce,
      atOncePerKey: atOncePerAccount,
      maxWaiting,
      retryAfterSeconds: 1,
    })
  }

  /** @throws any error of `send` */
  async run<T>(accountId: string, send: () => Promise<T>): Promise<T> {
    const { answer } = await this.#slots.run(accountId, async () => {
      const answer = send()
      await settlesWithin(answer, quickMs)
      return { answer }
    })
    return answer
  }
}

/** Waits until the promise settles, for this time at most. */
function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    promise.then(end, end)
  })
}
