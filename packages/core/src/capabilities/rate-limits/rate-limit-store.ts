import type { RateLimitCount, RateLimitCountStore } from './store.ts'

/** The store that counts failed attempts. */
export type RateLimitStore =
  | { kind: 'database'; counts: RateLimitCountStore; clock: () => number }
  | { kind: 'memory' }
  | { kind: 'redis'; client: object }

export interface CountedPoints {
  consumedPoints: number
  /** Until the window ends, in milliseconds */
  msBeforeNext: number
}

/**
 * A counter of one kind of attempt: `points` within a window that the first attempt opens. It has the methods of
 * rate-limiter-flexible that are used here. Keys are `<account id>:<digest>`.
 */
export interface RateLimitCounter {
  get(key: string): Promise<CountedPoints | null>
  penalty(key: string): Promise<CountedPoints>
  reward(key: string): Promise<CountedPoints>
  delete(key: string): Promise<boolean>
}

/** Creates the counter of one kind in the store. */
export async function createRateLimitCounter(
  store: RateLimitStore,
  kind: string,
  points: number,
  windowSeconds: number,
): Promise<RateLimitCounter> {
  if (store.kind === 'database') return new DatabaseCounter(store, kind, windowSeconds * 1000)
  // Loaded only when counting in memory or in Redis.
  const { RateLimiterMemory, RateLimiterRedis } = await import('./outside-limiters.ts')
  const options = { keyPrefix: kind, points, duration: windowSeconds }
  if (store.kind === 'memory') return new RateLimiterMemory(options)
  // node-redis and ioredis take their arguments differently; only ioredis has this state.
  const useRedisPackage = 'isOpen' in store.client
  return new RateLimiterRedis({ ...options, storeClient: store.client, useRedisPackage })
}

/** Counts in our own database, so that all processes share one count. */
class DatabaseCounter implements RateLimitCounter {
  readonly #counts: RateLimitCountStore
  readonly #clock: () => number
  readonly #kind: string
  readonly #windowMs: number

  constructor(
    { counts, clock }: Extract<RateLimitStore, { kind: 'database' }>,
    kind: string,
    windowMs: number,
  ) {
    this.#counts = counts
    this.#clock = clock
    this.#kind = kind
    this.#windowMs = windowMs
  }

  async get(key: string): Promise<CountedPoints | null> {
    const now = this.#clock()
    const count = await this.#counts.find(...this.#split(key), now, this.#windowMs)
    return count === undefined ? null : this.#toCountedPoints(count, now)
  }

  penalty(key: string): Promise<CountedPoints> {
    return this.#add(key, 1)
  }

  reward(key: string): Promise<CountedPoints> {
    return this.#add(key, -1)
  }

  delete(key: string): Promise<boolean> {
    return this.#counts.clear(...this.#split(key))
  }

  async #add(key: string, points: number): Promise<CountedPoints> {
    const now = this.#clock()
    const count = await this.#counts.add(...this.#split(key), points, now, now + this.#windowMs)
    return this.#toCountedPoints(count, now)
  }

  #toCountedPoints({ points, expiresAt }: RateLimitCount, now: number): CountedPoints {
    return { consumedPoints: points, msBeforeNext: Math.min(expiresAt - now, this.#windowMs) }
  }

  /** The arguments of the store: the account first. */
  #split(key: string): [accountId: string, key: string] {
    const [accountId = '', digest = ''] = key.split(':')
    return [accountId, `${this.#kind}:${digest}`]
  }
}
