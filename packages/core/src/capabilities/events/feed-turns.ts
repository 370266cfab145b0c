import { setImmediate as endOfTurn } from 'node:timers/promises'
import { FairLimit } from '../../base/runtime/fair-limit.ts'

/** How many pages are read at once, so that connections are left for other requests */
const atOnce = 4
/** How many pages of an account may wait: more than requests of an account may */
const maxWaiting = 1_100

/**
 * Reads pages of feeds for HTTP: of an account one after the other, each rendered in a turn of the event loop of its own.
 * One event wakes a hundred waiting readers, who would otherwise all read and render it in one turn.
 */
export class FeedTurns {
  readonly #limit = new FairLimit({
    atOnce,
    atOncePerKey: 1,
    maxWaiting,
    retryAfterSeconds: 1,
  })

  /** @throws ClienteleError `overloaded` when too many pages of the account wait; any error of `read` */
  run<Page>(accountId: string, read: () => Promise<Page>): Promise<Page> {
    return this.#limit.run(accountId, async () => {
      const page = await read()
      await endOfTurn()
      return page
    })
  }
}
