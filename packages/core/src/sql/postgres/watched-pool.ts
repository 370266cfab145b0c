import pTimeout, { TimeoutError } from 'p-timeout'
import type { PoolLoad } from '../../base/observe/gauges.ts'
import { destroy } from './aside.ts'
import { isConnectionFault, spoilsConnection, stateOf } from './faults.ts'
import type { PostgresClient, PostgresPool, PostgresQuery } from './pool.ts'
import { ConnectionSwallowed, type PostgresWatch } from './watch.ts'

/** How long it is waited for a connection while nobody answers, in milliseconds */
const silentLimitMs = 2000
/** How long those who have connections may take to give them back at the end, in milliseconds */
const endLimitMs = 2000

/** A pool whose connections are watched: those that a network has swallowed are thrown away together. */
export class WatchedPool {
  readonly #pool: PostgresPool
  readonly #watch: PostgresWatch
  readonly #limitMs: number

  /** @param limitMs how long it is waited for a connection; the pool's own limit may be shorter */
  constructor(pool: PostgresPool, watch: PostgresWatch, limitMs: number) {
    this.#pool = pool
    this.#watch = watch
    this.#limitMs = limitMs
    // Everybody's: a pool of the host's has others who take from it.
    pool.on('connect', (client) => watch.noteConnected(client))
    pool.on('acquire', (client) => watch.noteAcquired(client))
    pool.on('release', (_fault, client) => watch.noteReleased(client))
  }

  async connect(): Promise<PostgresClient> {
    const watch = this.#watch
    const startedAt = performance.now()
    const wait = watch.begin()
    try {
      for (;;) {
        const limitMs = watch.isSilent ? Math.min(silentLimitMs, this.#limitMs) : this.#limitMs
        const leftMs = startedAt + limitMs - performance.now()
        try {
          return new WatchedConnection(await this.#take(leftMs), watch)
        } catch (error) {
          // It was begun while nobody answered. Now somebody does.
          if (!(error instanceof ConnectionSwallowed) || leftMs <= 0) throw error
        }
      }
    } finally {
      watch.end(wait)
    }
  }

  async query(query: PostgresQuery): Promise<{ rows: unknown[] }> {
    const connection = await this.connect()
    let fault: Error | undefined
    try {
      return await connection.query(query)
    } catch (error) {
      if (spoilsConnection(error)) fault = error
      throw error
    } finally {
      connection.release(fault)
    }
  }

  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PostgresClient) => void): unknown
  on(event: 'release', listener: (fault: Error, client: PostgresClient) => void): unknown
  on(event: string, listener: (...details: never[]) => void): unknown {
    return this.#pool.on(event as 'error', listener as (error: Error) => void) // the overloads above pair them
  }

  hasAnsweredSince(time: number): boolean {
    return this.#watch.hasAnsweredSince(time)
  }

  readLoad(): PoolLoad | undefined {
    const { totalCount, idleCount, waitingCount } = this.#pool
    if (totalCount === undefined || idleCount === undefined || waitingCount === undefined)
      return undefined
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  }

  async end(): Promise<void> {
    const ended = this.#pool.end()
    const fallback = (): void => this.#watch.cutAll()
    await pTimeout(ended, { milliseconds: endLimitMs, fallback })
    await ended
  }

  async #take(limitMs: number): Promise<PostgresClient> {
    const taken = this.#pool.connect()
    const milliseconds = Math.max(1, limitMs)
    // An error that is made before it is known to be needed would cost each query a stack.
    const client = await pTimeout(taken, { milliseconds, fallback: () => undefined })
    if (client !== undefined) return client
    // It may still come, and is somebody else's then.
    taken.then(
      (late) => late.release(),
      () => {},
    )
    throw new TimeoutError(`The pool gave no connection within ${milliseconds} ms.`)
  }
}

/** A connection that somebody has taken, and waits for. */
class WatchedConnection implements PostgresClient {
  readonly #client: PostgresClient
  readonly #watch: PostgresWatch

  constructor(client: PostgresClient, watch: PostgresWatch) {
    this.#client = client
    this.#watch = watch
  }

  async query(query: PostgresQuery): Promise<{ rows: unknown[] }> {
    const wait = this.#watch.begin(this.#client)
    try {
      const result = await this.#client.query(query)
      this.#watch.noteAnswer()
      return result
    } catch (error) {
      if (stateOf(error) !== undefined) this.#watch.noteAnswer()
      // What was idle then is as old as this one, which has not been answered within any limit.
      else if (isConnectionFault(error)) this.#watch.cutIdle(wait.since)
      throw error
    } finally {
      this.#watch.end(wait)
    }
  }

  release(fault?: Error | boolean): void {
    // The pool would take leave of it, and wait for an answer before it opens another in its place.
    if (fault) destroy(this.#client)
    this.#client.release(fault)
  }

  on(event: 'error', listener: (error: Error) => void): unknown {
    return this.#client.on(event, listener)
  }

  once(event: 'end', listener: () => void): unknown {
    return this.#client.once(event, listener)
  }

  off(event: 'error', listener: (error: Error) => void): unknown {
    return this.#client.off(event, listener)
  }
}
