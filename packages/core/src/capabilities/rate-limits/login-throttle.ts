import pTimeout from 'p-timeout'
import { ClienteleError } from '../../base/errors.ts'
import { toClientNetwork } from './client-network.ts'
import { digestOf, type RateLimitKind } from './count-keys.ts'
import {
  type CountedPoints,
  createRateLimitCounter,
  type RateLimitCounter,
  type RateLimitStore,
} from './rate-limit-store.ts'

export interface RateLimit {
  /** How many failures pass */
  points: number
  /** How long they count, from the first of them, in seconds */
  windowSeconds: number
}

export interface RateLimits {
  /**
   * Where failures are counted: in the database, so that many processes share one count; in this process; or in Redis,
   * through an ioredis or node-redis client of the host's. @default 'database'
   */
  store?: 'database' | 'memory' | { redis: object }
  /** Failed sign-ins of a user, or with an e-mail that nobody has. @default 10 in 15 minutes */
  login?: RateLimit
  /** Wrong codes of a user. @default 10 in 15 minutes */
  mfa?: RateLimit
  /** Requested resets and verifications of an e-mail. @default 5 in an hour */
  reset?: RateLimit
  /** Refreshes of a session, counted with the session whatever the store is. @default 30 in a minute */
  refresh?: RateLimit
  /**
   * How many events of an account tell of sign-ins and resets with e-mails that nobody has; those beyond are refused as
   * ever, and not told. @default 100 in an hour
   */
  unknownEmails?: RateLimit
}

/** Who tries to be whom. */
export interface Attempt {
  accountId: string
  /** The user's id, or an e-mail that nobody has */
  target: string
  /** The caller's address, where the host vouches for it */
  clientAddress?: string | undefined
}

/** By how much the limits of a target from everywhere, and of an address on every target, are wider. */
const widerBy = 10

/** How long Redis may take to answer, in milliseconds */
const foreignLimitMs = 3_000
const storeIsSilent =
  'The store that counts failed attempts (Redis) does not answer: try again shortly.'

interface Counted {
  counter: RateLimitCounter
  limit: RateLimit
  key: string
}

/**
 * Limits failed attempts. Failures count; a success clears them. Where the client's address is known, it is mostly the
 * stranger's own count that fills, so that the user is let in from elsewhere. A refused attempt does not count: the
 * pause ends when the window does, however much a stranger goes on.
 */
export class LoginThrottle {
  readonly #store: RateLimitStore
  readonly #limits: Record<RateLimitKind, RateLimit>
  readonly #counters = new Map<string, Promise<RateLimitCounter>>()

  constructor(store: RateLimitStore, { login, mfa, reset }: RateLimits) {
    this.#store = store
    this.#limits = {
      login: login ?? { points: 10, windowSeconds: 900 },
      two_factor: mfa ?? { points: 10, windowSeconds: 900 },
      reset: reset ?? { points: 5, windowSeconds: 3600 },
      console: { points: 20, windowSeconds: 900 },
    }
  }

  /**
   * Answers whether any failure counts at the moment.
   *
   * @throws ClienteleError `rate_limited` when too many attempts have failed; `storage_unavailable`
   */
  check(kind: RateLimitKind, attempt: Attempt): Promise<boolean> {
    return this.#ask(kind, attempt, async (all) => {
      const counts = await Promise.all(all.map(({ counter, key }) => counter.get(key)))
      for (const [index, { limit }] of all.entries()) refuseOver(kind, limit, 1, counts[index])
      return counts.some((count) => count !== null)
    })
  }

  /**
   * Counts an attempt before it is looked at, so that of many at once no more are looked at than of as many in turn. One
   * that was right is taken back by `giveBack`.
   *
   * @throws ClienteleError `rate_limited` when too many attempts have been taken; `storage_unavailable`
   */
  async take(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    // What is refused here fills no count: a stranger's refused attempts must not become the user's limit.
    await this.check(kind, attempt)
    await this.fail(kind, attempt)
  }

  /** Forgets an attempt that was taken and right, with the failures at the target. */
  async giveBack(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    await this.succeed(kind, attempt)
    await this.#ask(kind, attempt, async ([, , ofAddress]) => {
      await ofAddress?.counter.reward(ofAddress.key)
    })
  }

  /**
   * Counts a failure. One that is over the limit, because others at the same moment were first, is refused as if it had
   * not been looked at: what was right among them is refused too.
   *
   * @throws ClienteleError `rate_limited`, `storage_unavailable`
   */
  fail(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    return this.#ask(kind, attempt, async ([narrowest, ...wider]) => {
      const count = ({ counter, limit, key }: Counted): Promise<void> =>
        counter.penalty(key).then((counted) => refuseOver(kind, limit, 0, counted))
      // First what the caller alone fills: what is refused there must not fill what shuts others out.
      await count(narrowest)
      await Promise.all(wider.map(count))
    })
  }

  /** Forgets the failures at the target, wherever they came from; those of the address on others stay. */
  async succeed(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    await this.#ask(kind, attempt, ([narrowest, ofTarget]) =>
      Promise.all([narrowest, ofTarget].map((each) => each?.counter.delete(each.key))),
    )
  }

  async #ask<T>(
    kind: RateLimitKind,
    attempt: Attempt,
    work: (counted: [Counted, ...Counted[]]) => Promise<T>,
  ): Promise<T> {
    try {
      const answer = work(await this.#countersFor(kind, attempt))
      // A client of the host's waits as long as the host has told it to, which is mostly for ever.
      const isForeign = this.#store.kind === 'redis'
      return await (isForeign ? pTimeout(answer, { milliseconds: foreignLimitMs }) : answer)
    } catch (error) {
      if (error instanceof ClienteleError) throw error
      throw new ClienteleError('storage_unavailable', storeIsSilent, {
        cause: error,
        retryAfterSeconds: 1,
      })
    }
  }

  /** Narrowest first: those of the caller at the target, of the target, of the caller. */
  async #countersFor(kind: RateLimitKind, attempt: Attempt): Promise<[Counted, ...Counted[]]> {
    const { accountId, target, clientAddress } = attempt
    const limit = this.#limits[kind]
    if (clientAddress === undefined) return [await this.#counted(kind, limit, accountId, target)]
    const network = toClientNetwork(clientAddress)
    const wide = { ...limit, points: limit.points * widerBy }
    return Promise.all([
      this.#counted(`${kind}-from`, limit, accountId, `${network} ${target}`),
      this.#counted(kind, wide, accountId, target),
      this.#counted(`${kind}-address`, wide, accountId, network),
    ])
  }

  async #counted(
    name: string,
    limit: RateLimit,
    accountId: string,
    subject: string,
  ): Promise<Counted> {
    let counter = this.#counters.get(name)
    if (counter === undefined) {
      counter = createRateLimitCounter(this.#store, name, limit.points, limit.windowSeconds)
      this.#counters.set(name, counter)
    }
    return { counter: await counter, limit, key: `${accountId}:${digestOf(subject)}` }
  }
}

/** Refuses when `more` attempts on top of those that are counted would be too many. */
function refuseOver(
  kind: RateLimitKind,
  limit: RateLimit,
  more: number,
  count: CountedPoints | null | undefined,
): void {
  if (count === null || count === undefined) return
  if (count.consumedPoints + more <= limit.points) return
  throw rateLimited(kind, limit, Math.max(1, Math.ceil(count.msBeforeNext / 1000)))
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-11: quota and window, what remains and until when. */
export function rateLimited(
  kind: RateLimitKind | 'refresh',
  limit: RateLimit,
  seconds: number,
): ClienteleError {
  return new ClienteleError('rate_limited', undefined, {
    retryAfterSeconds: seconds,
    headers: {
      'ratelimit-policy': `"${kind}";q=${limit.points};w=${limit.windowSeconds}`,
      ratelimit: `"${kind}";r=0;t=${seconds}`,
    },
  })
}
