import { type OwnPoolOptions, PostgresOwnPool } from './own-pool.ts'
import type { PostgresPool } from './pool.ts'
import type { ProbeClient } from './probe.ts'
import { PostgresWatch } from './watch.ts'
import { WatchedPool } from './watched-pool.ts'

/** The wait for a connection when the pool's owner has set no limit, in milliseconds */
const defaultLimitMs = 5_000

/** Opens a pool of our own and watches it. */
export function watchOwnPool(options: Omit<OwnPoolOptions, 'onConnecting'>): WatchedPool {
  const watch = new PostgresWatch(
    () => pool.openProbe(),
    () => pool.tryAnotherRoute(),
  )
  const onConnecting: OwnPoolOptions['onConnecting'] = (client) => watch.noteConnecting(client)
  const pool = new PostgresOwnPool({ ...options, onConnecting })
  return new WatchedPool(pool, watch, {
    limitMs: options.limits.connectionSeconds * 1000,
    connections: options.maxConnections,
  })
}

/**
 * Watches a pool of the host's. The watch can destroy only established connections; the pool itself handles those that
 * it is still opening.
 */
export function watchHostsPool(pool: PostgresPool): WatchedPool {
  // Every pg pool has these members. Without them no probe is possible, and only the host's time limits apply.
  const { Client, options } = pool as { Client?: unknown; options?: unknown }
  const openProbe =
    typeof Client === 'function'
      ? (): ProbeClient => Reflect.construct(Client, [options]) as ProbeClient // as the pool itself does
      : undefined
  const { connectionTimeoutMillis, max } = Object(options)
  const connections = Number.isSafeInteger(max) && max > 0 ? max : undefined
  const limitMs = connectionTimeoutMillis ? Number.POSITIVE_INFINITY : defaultLimitMs
  return new WatchedPool(pool, new PostgresWatch(openProbe), { limitMs, connections })
}
