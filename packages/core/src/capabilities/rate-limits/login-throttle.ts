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
  /** How many failures are allowed */
  points: number
  /** The length of the window, in seconds, from the first failure on */
  windowSeconds: number
}

export interface RateLimits {
  /**
   * Where failures are counted: in the database, so that all processes share one count; in this process; or in Redis,
   * through the host's ioredis or node-redis client. @default 'database'
   */
  store?: 'database' | 'memory' | { redis: object }
  /** Failed sign-ins of a user or with an unknown e-mail. @default 10 in 15 minutes */
  login?: RateLimit
  /** Wrong codes of a user. @default 10 in 15 minutes */
  mfa?: RateLimit
  /** Requested resets and verifications of an e-mail, and invitations to it. @default 5 in an hour */
  reset?: RateLimit
  /** Refreshes of a session, always counted with the session. @default 30 in a minute */
  refresh?: RateLimit
  /**
   * How many events an account gets about sign-ins and resets with unknown e-mails; further requests are refused in the
   * same way, without an event. @default 100 in an hour
   */
  unknownEmails?: RateLimit
}

/** The target and the caller of an attempt. */
export interface Attempt {
  accountId: string
  /** The user's id, or a text that begins with what is counted: typed text must not be able to look like another target */
  target: string
  /** The caller's address, if the host passes it */
  clientAddress?: string | undefined
}

/** The limit of a target from all addresses, and that of an address on all targets, are higher by this factor. */
const widerBy = 10

/** The timeout of Redis, in milliseconds */
const foreignLimitMs = 3_000
const storeIsSilent =
  'The store that counts failed attempts (Redis) does not answer: try again shortly.'

interface Counted {
  counter: RateLimitCounter
  limit: RateLimit
  key: string
}

/**
 * Limits failed attempts. Failures count; a success clears them. If the client's address is known, mostly the
 * attacker's own count fills up, so that the user can sign in from elsewhere. A refused attempt does not count: the
 * pause ends with the window, even if the attacker continues.
 */
export class LoginThrottle {
  readonly #store: RateLimitStore
  readonly #limits: Record<RateLimitKind, RateLimit>
  readonly #counters = new Map<string, Promise<RateLimitCounter>>()
  /** Failures that this process is counting now, by kind and target */
  readonly #beingCounted = new Map<string, Set<Promise<unknown>>>()

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
   * Returns whether any failure counts at present. Failures that are being counted count: the store may answer a question
   * before it has written them.
   *
   * @throws ClienteleError `rate_limited` when too many attempts have failed; `storage_unavailable`
   */
  async check(kind: RateLimitKind, attempt: Attempt): Promise<boolean> {
    await Promise.allSettled(this.#beingCounted.get(nameOf(kind, attempt)) ?? [])
    return this.#ask(kind, attempt, async (all) => {
      const counts = await Promise.all(all.map(({ counter, key }) => counter.get(key)))
      for (const [index, { limit }] of all.entries()) refuseOver(kind, limit, 1, counts[index])
      return counts.some((count) => count !== null)
    })
  }

  /**
   * Counts an attempt before it is verified, so that simultaneous attempts get no more tries than successive ones.
   * `giveBack` takes a successful attempt back, `undo` one that was not verified.
   *
   * @throws ClienteleError `rate_limited` when too many attempts were taken; `storage_unavailable`
   */
  async take(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    // A refused attempt increases no count: an attacker's refused attempts must not use up the user's limit.
    await this.check(kind, attempt)
    await this.fail(kind, attempt)
  }

  /** Takes back a successful attempt and clears the failures at the target. */
  async giveBack(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    await this.succeed(kind, attempt)
    await this.#ask(kind, attempt, async ([, , ofAddress]) => {
      await ofAddress?.counter.reward(ofAddress.key)
    })
  }

  /** Takes back an attempt that was not verified. Failures before it stay counted. */
  async undo(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    await this.#ask(kind, attempt, (all) =>
      Promise.all(
        all.map(async ({ counter, key }) => {
          // A success, or the end of the window, may have cleared it: it must not fall below zero.
          const count = await counter.get(key)
          if (count !== null && count.consumedPoints > 0) await counter.reward(key)
        }),
      ),
    )
  }

  /**
   * Counts a failure. If concurrent failures have used up the limit, this attempt is refused as if it had not been
   * verified; so is a correct one among them.
   *
   * @throws ClienteleError `rate_limited`, `storage_unavailable`
   */
  async fail(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    const name = nameOf(kind, attempt)
    const beingCounted = this.#beingCounted.get(name) ?? new Set()
    this.#beingCounted.set(name, beingCounted)
    const counted = this.#count(kind, attempt)
    beingCounted.add(counted)
    try {
      await counted
    } finally {
      beingCounted.delete(counted)
      if (beingCounted.size === 0) this.#beingCounted.delete(name)
    }
  }

  #count(kind: RateLimitKind, attempt: Attempt): Promise<void> {
    return this.#ask(kind, attempt, async ([narrowest, ...wider]) => {
      const count = ({ counter, limit, key }: Counted): Promise<void> =>
        counter.penalty(key).then((counted) => refuseOver(kind, limit, 0, counted))
      // The caller's own count first: an attempt that it refuses must not increase the counts that affect others.
      await count(narrowest)
      await Promise.all(wider.map(count))
    })
  }

  /** Clears the failures at the target, from all addresses; those of the address at other targets stay. */
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
      // The host's client waits as long as the host has configured, often forever.
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

  /** Narrowest first: the caller's counts at the target, the target's, the caller's. */
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

function nameOf(kind: RateLimitKind, { accountId, target }: Attempt): string {
  return `${kind} ${accountId} ${target}`
}

/** Refuses if `more` attempts in addition to the counted ones exceed a limit. */
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

/** The fields of draft-ietf-httpapi-ratelimit-headers-11: quota and window, the remaining quota and its reset. */
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
