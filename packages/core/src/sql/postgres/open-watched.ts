import type { AsideClient } from './aside.ts'
import { type OwnPoolOptions, PostgresOwnPool } from './own-pool.ts'
import type { PostgresPool } from './pool.ts'
import { PostgresWatch } from './watch.ts'
import { WatchedPool } from './watched-pool.ts'

/** How long it is waited for a connection of a pool whose owner has set no limit, in milliseconds */
const defaultLimitMs = 5_000

/** Opens a pool of our own, and watches it. */
export function watchOwnPool(options: Omit<OwnPoolOptions, 'onConnecting'>): WatchedPool {
  const watch = new PostgresWatch(
    () => pool.openAside(),
    () => pool.tryAnotherRoute(),
  )
  const onConnecting: OwnPoolOptions['onConnecting'] = (client) => watch.noteConnecting(client)
  const pool = new PostgresOwnPool({ ...options, onConnecting })
  return new WatchedPool(pool, watch, options.limits.connectionSeconds * 1000)
}

/**
 * Watches a pool of the host's. What it waits for before it has a connection is the pool's own affair: only those that
 * it has made can be thrown away.
 */
export function watchHostsPool(pool: PostgresPool): WatchedPool {
  // As every pool of pg has them; without them nobody is asked, and the host's time limits decide alone.
  const { Client, options } = pool as { Client?: unknown; options?: unknown }
  const openAside =
    typeof Client === 'function'
      ? (): AsideClient => Reflect.construct(Client, [options]) as AsideClient // what the pool itself makes
      : undefined
  const { connectionTimeoutMillis } = (options ?? {}) as { connectionTimeoutMillis?: unknown } // looked at below
  const limitMs = connectionTimeoutMillis ? Number.POSITIVE_INFINITY : defaultLimitMs
  return new WatchedPool(pool, new PostgresWatch(openAside), limitMs)
}
