import {
  type IRateLimiterStoreOptions,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js'
import type { RateLimitCount, RateLimitCountStore } from './store.ts'

/** Where failed guesses are counted. */
export type RateLimitStore =
  | { kind: 'database'; counts: RateLimitCountStore; clock: () => number }
  | { kind: 'memory' }
  | { kind: 'redis'; client: object }

/** A counter of one kind of guess: `points` within a window that the first of them opens. */
export interface RateLimitCounter {
  get(key: string): Promise<RateLimiterRes | null>
  penalty(key: string, points?: number): Promise<RateLimiterRes>
  reward(key: string, points?: number): Promise<RateLimiterRes>
  delete(key: string): Promise<boolean>
}

/** Makes the counter of one kind in the store. Keys are `<account id>:<digest>`. */
export function createRateLimitCounter(
  store: RateLimitStore,
  kind: string,
  points: number,
  windowSeconds: number,
): RateLimitCounter {
  const options = { keyPrefix: kind, points, duration: windowSeconds }
  if (store.kind === 'memory') return new RateLimiterMemory(options)
  if (store.kind === 'redis') {
    // node-redis and ioredis take their arguments differently; only the first has this state.
    const useRedisPackage = 'isOpen' in store.client
    return new RateLimiterRedis({ ...options, storeClient: store.client, useRedisPackage })
  }
  return new DatabaseCounter({ ...options, storeClient: store.counts }, store)
}

/** Counts in our own database, so that many processes share one count. The methods are those that the base class asks for. */
class DatabaseCounter extends RateLimiterStoreAbstract {
  readonly #counts: RateLimitCountStore
  readonly #clock: () => number

  constructor(
    options: IRateLimiterStoreOptions,
    { counts, clock }: { counts: RateLimitCountStore; clock: () => number },
  ) {
    super(options)
    this.#counts = counts
    this.#clock = clock
  }

  _upsert(rlKey: string, points: number, windowMs: number): Promise<RateLimitCount> {
    const [accountId, key] = splitKey(rlKey)
    const now = this.#clock()
    return this.#counts.add(accountId, key, points, now, now + windowMs)
  }

  _get(rlKey: string): Promise<RateLimitCount | undefined> {
    const [accountId, key] = splitKey(rlKey)
    return this.#counts.find(accountId, key, this.#clock())
  }

  _delete(rlKey: string): Promise<boolean> {
    const [accountId, key] = splitKey(rlKey)
    return this.#counts.clear(accountId, key)
  }

  _getRateLimiterRes(_rlKey: string, _points: number, { points, expiresAt }: RateLimitCount) {
    const remaining = Math.max(0, this.points - points)
    return new RateLimiterRes(remaining, expiresAt - this.#clock(), points, false)
  }
}

/** `kind:account:digest` as the port wants it: the account first. */
function splitKey(rlKey: string): [accountId: string, key: string] {
  const [kind = '', accountId = '', digest = ''] = rlKey.split(':')
  return [accountId, `${kind}:${digest}`]
}
