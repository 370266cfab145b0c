import pTimeout from 'p-timeout'
import type { RateLimit } from './login-throttle.ts'
import {
  createRateLimitCounter,
  type RateLimitCounter,
  type RateLimitStore,
} from './rate-limit-store.ts'

/** How long a store of the host's may take to answer, in milliseconds; an event too many is better than one too few. */
const foreignLimitMs = 3_000
const minuteSeconds = 60
/** Where one process refuses more keys than that, the store alone says which were told. */
const maxRememberedKeys = 10_000

/**
 * Says whether an event is still written that strangers can cause as often as they like, so that none of them fills the
 * disk. What is not written any more is refused as before.
 */
export class EventLimits {
  readonly #store: RateLimitStore
  readonly #unknownEmails: RateLimit
  readonly #clock: () => number
  readonly #counters = new Map<string, Promise<RateLimitCounter>>()
  /** Until when this process tells no more of a refused key */
  readonly #quietUntil = new Map<string, number>()

  constructor(store: RateLimitStore, unknownEmails: RateLimit, clock: () => number) {
    this.#store = store
    this.#unknownEmails = unknownEmails
    this.#clock = clock
  }

  /** Whether this process has told nothing of a refused key for a minute. A key costs no statement more often than that. */
  wakeForKey(keyId: string): boolean {
    const now = this.#clock()
    if ((this.#quietUntil.get(keyId) ?? 0) > now) return false
    if (this.#quietUntil.size >= maxRememberedKeys) this.#quietUntil.clear()
    this.#quietUntil.set(keyId, now + minuteSeconds * 1000)
    return true
  }

  /** Whether no process has told of a refused key for a minute. */
  async mayTellOfKey(accountId: string, keyId: string): Promise<boolean> {
    return (await this.#count('refused-key', minuteSeconds, accountId, keyId)) <= 1
  }

  /**
   * Whether an event is told that names an e-mail which somebody typed: always of a user, whose own limit bounds them, and
   * so often of an e-mail that nobody has. It counts either way: how long it takes must not say whether there is a user.
   */
  async mayTellOfEmail(accountId: string, isKnown: boolean): Promise<boolean> {
    const { points, windowSeconds } = this.#unknownEmails
    const kind = isKnown ? 'known-email' : 'unknown-email'
    try {
      const count = await this.#count(kind, windowSeconds, accountId, 'events')
      return isKnown || count <= points
    } catch {
      // The throttle, which counts in the same store, says that it does not answer.
      return true
    }
  }

  async #count(
    kind: string,
    windowSeconds: number,
    accountId: string,
    subject: string,
  ): Promise<number> {
    let counter = this.#counters.get(kind)
    if (counter === undefined) {
      counter = createRateLimitCounter(this.#store, kind, 1, windowSeconds)
      this.#counters.set(kind, counter)
    }
    const counted = counter.then((made) => made.penalty(`${accountId}:${subject}`))
    const isForeign = this.#store.kind === 'redis'
    const { consumedPoints } = await (isForeign
      ? pTimeout(counted, { milliseconds: foreignLimitMs })
      : counted)
    return consumedPoints
  }
}
