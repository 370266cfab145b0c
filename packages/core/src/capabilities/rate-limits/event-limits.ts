import pTimeout from 'p-timeout'
import type { RateLimit } from './login-throttle.ts'
import {
  createRateLimitCounter,
  type RateLimitCounter,
  type RateLimitStore,
} from './rate-limit-store.ts'

/** The timeout of a host's store, in milliseconds; it is better to write an event too many than one too few. */
const foreignLimitMs = 3_000
const minuteSeconds = 60
/** Above this number of refused keys the process forgets them, and only the store limits their events. */
const maxRememberedKeys = 10_000

/**
 * Decides whether an event that unauthenticated callers can cause is still written, so that they cannot fill the disk.
 * The requests are refused either way.
 */
export class EventLimits {
  readonly #store: RateLimitStore
  readonly #unknownEmails: RateLimit
  readonly #clock: () => number
  readonly #counters = new Map<string, Promise<RateLimitCounter>>()
  /** Until when this process writes no more events of a refused key */
  readonly #quietUntil = new Map<string, number>()

  constructor(store: RateLimitStore, unknownEmails: RateLimit, clock: () => number) {
    this.#store = store
    this.#unknownEmails = unknownEmails
    this.#clock = clock
  }

  /**
   * Whether this process has written no event of a refused key for a minute. More uses of the key cost no statement.
   */
  wakeForKey(keyId: string): boolean {
    const now = this.#clock()
    const leftMs = (this.#quietUntil.get(keyId) ?? 0) - now
    // More is left only if the clock was set back.
    if (leftMs > 0 && leftMs <= minuteSeconds * 1000) return false
    if (this.#quietUntil.size >= maxRememberedKeys) this.#quietUntil.clear()
    this.#quietUntil.set(keyId, now + minuteSeconds * 1000)
    return true
  }

  /** Whether no process has written an event of a refused key for a minute. */
  async mayTellOfKey(accountId: string, keyId: string): Promise<boolean> {
    return (await this.#count('refused-key', minuteSeconds, accountId, keyId)) <= 1
  }

  /**
   * Whether to write an event that names a typed e-mail: always for a user, whose own limit bounds it, and up to a
   * maximum for an unknown e-mail. Both cases count, because the duration must not reveal whether there is a user.
   */
  async mayTellOfEmail(accountId: string, isKnown: boolean): Promise<boolean> {
    const { points, windowSeconds } = this.#unknownEmails
    const kind = isKnown ? 'known-email' : 'unknown-email'
    try {
      const count = await this.#count(kind, windowSeconds, accountId, 'events')
      return isKnown || count <= points
    } catch {
      // The throttle, which counts in the same store, reports a store that does not answer.
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
