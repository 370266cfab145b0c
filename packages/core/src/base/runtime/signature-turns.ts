import { TimeShare } from './time-share.ts'
import { TimeSlice } from './time-slice.ts'

/** So many signatures are verified at once: enough for libuv's threads to have work while the event loop prepares more. */
const atOnce = 4
/** What one is charged until it has been verified, in milliseconds */
const expectedMs = 0.3

/**
 * Verifies signatures. Accounts share time: one that sends bad ones by the hundred makes no other wait for more than those
 * under way. While none waits, a signature is verified at once.
 */
export class SignatureTurns {
  readonly #slice = new TimeSlice()
  readonly #share: TimeShare = new TimeShare({
    hasRoom: () => this.#share.running < atOnce,
    onEnd: () => this.#startWaiting(),
  })

  /** @throws whatever `verify` throws */
  run<T>(accountId: string, verify: () => Promise<T>): Promise<T> {
    return this.#share.run(accountId, expectedMs, verify)
  }

  #startWaiting(): void {
    // What is refused before its signature is looked at ends at once: others get their turn of the event loop in between.
    if (this.#share.waiting > 0 && this.#slice.isOver)
      void this.#slice.next().then(() => this.#start())
    else this.#start()
  }

  #start(): void {
    while (this.#share.startNext()) {}
  }
}
