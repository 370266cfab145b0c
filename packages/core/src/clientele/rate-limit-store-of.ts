import type { RateLimitStore } from '../capabilities/rate-limits/rate-limit-store.ts'
import type { ClienteleOptions } from './clientele-options.ts'

/** The store that counts failed attempts. */
export function rateLimitStoreOf(
  { repository, rateLimits }: ClienteleOptions,
  clock: () => number,
): RateLimitStore {
  const store = rateLimits?.store ?? 'database'
  if (store === 'memory') return { kind: 'memory' }
  return store === 'database'
    ? { kind: 'database', counts: repository.rateLimits, clock }
    : { kind: 'redis', client: store.redis }
}
