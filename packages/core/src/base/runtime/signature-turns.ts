import { overloaded } from '../errors.ts'
import { TimeShare } from './time-share.ts'
import { TimeSlice } from './time-slice.ts'

/** How many signatures are worked on at once: enough to keep libuv's threads busy while the event loop prepares more. */
const atOnce = 4
/** How many of an account may wait: those of a hundred batches. More are of callers who have gone */
const maxWaiting = 10_000
/** The estimate that a signature is charged until it is done, in milliseconds */
const expectedMs = 0.3

/**
 * Makes and verifies signatures. Accounts share the time: an account that sends hundreds of bad ones, or has hundreds of
 * tokens issued, delays others only by the signatures under way. When none waits, one is begun at once.
 */
export class SignatureTurns {
  readonly #slice = new TimeSlice()
  readonly #share: TimeShare = new TimeShare({
    hasRoom: () => this.#share.running < atOnce,
    onEnd: () => this.#startWaiting(),
  })

  /** @throws ClienteleError `overloaded` when thousands of the account wait; any error of `work` */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.#share.waiting > 0 && this.#share.waitingOf(accountId) >= maxWaiting)
      throw overloaded()
    return this.#share.run(accountId, expectedMs, work)
  }

  #startWaiting(): void {
    // A token that is refused before its signature is checked ends at once: let other requests run in between.
    if (this.#share.waiting > 0 && this.#slice.isOver)
      void this.#slice.next().then(() => this.#start())
    else this.#start()
  }

  #start(): void {
    while (this.#share.startNext()) {}
  }
}
