import pTimeout, { TimeoutError } from 'p-timeout'
import { ClienteleError } from '../../base/errors.ts'
import type { PoolLoad } from '../../base/observe/gauges.ts'
import { type ConnectionLimits, createConnectionLimits } from '../connection-limits.ts'
import { isConnectionFault, spoilsConnection, stateOf } from './faults.ts'
import type { PostgresClient, PostgresPool, PostgresQuery } from './pool.ts'
import { destroy } from './probe.ts'
import { ConnectionSwallowed, type PostgresWatch } from './watch.ts'

/** The wait for a connection while the server does not answer, in milliseconds */
const silentLimitMs = 2000
/** How long `end` waits for connections that are in use, in milliseconds */
const endLimitMs = 2000

const busy = 'Too many requests of this account wait for the database: try again shortly.'

/** A pool that watches its connections: those that a network has swallowed are destroyed together. */
export class WatchedPool {
  readonly #pool: PostgresPool
  readonly #watch: PostgresWatch
  readonly #limitMs: number
  readonly #limits: ConnectionLimits

  /**
   * @param limitMs the wait for a connection; the pool's own limit may be shorter
   * @param connections how many the pool has; undefined: unknown
   */
  constructor(
    pool: PostgresPool,
    watch: PostgresWatch,
    { limitMs, connections }: { limitMs: number; connections: number | undefined },
  ) {
    this.#pool = pool
    this.#watch = watch
    this.#limitMs = limitMs
    this.#limits = createConnectionLimits(connections)
    // All connections: other parts of the host take connections from its pool, too.
    pool.on('connect', (client) => watch.noteConnected(client))
    pool.on('acquire', (client) => watch.noteAcquired(client))
    pool.on('release', (_fault, client) => watch.noteReleased(client))
  }

  /** @param accountId the account that it is for; undefined: none, or several */
  async connect(
    accountId?: string,
    use: keyof ConnectionLimits = 'writes',
  ): Promise<PostgresClient> {
    const startedAt = performance.now()
    if (accountId === undefined) return this.#connect(startedAt)
    const leave = this.#limits[use].begin(accountId) ?? (await this.#enter(accountId, use))
    try {
      return await this.#connect(startedAt, leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Waits until the account may have another connection; returns the function that ends its use. */
  async #enter(accountId: string, use: keyof ConnectionLimits): Promise<() => void> {
    const startedAt = performance.now()
    const entered = new Promise<() => void>((resolve) => {
      void this.#limits[use].run(accountId, () => new Promise<void>((leave) => resolve(leave)))
    })
    try {
      return await this.#within(this.#presentLimitMs, entered, (leave) => leave())
    } catch (cause) {
      if (!this.hasAnsweredSince(startedAt)) throw cause
      throw new ClienteleError('overloaded', busy, { cause, retryAfterSeconds: 1 })
    }
  }

  get #presentLimitMs(): number {
    return this.#watch.isSilent ? Math.min(silentLimitMs, this.#limitMs) : this.#limitMs
  }

  async #connect(startedAt: number, onRelease?: () => void): Promise<PostgresClient> {
    const watch = this.#watch
    const wait = watch.begin()
    try {
      for (;;) {
        const leftMs = startedAt + this.#presentLimitMs - performance.now()
        try {
          return new WatchedConnection(await this.#take(leftMs), watch, onRelease)
        } catch (error) {
          // The connection was opened while the server did not answer; now it answers.
          if (!(error instanceof ConnectionSwallowed) || leftMs <= 0) throw error
        }
      }
    } finally {
      watch.end(wait)
    }
  }

  async query(
    query: PostgresQuery,
    accountId?: string,
    use?: keyof ConnectionLimits,
  ): Promise<{ rows: unknown[] }> {
    const connection = await this.connect(accountId, use)
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
    const waiting = waitingCount + this.#limits.reads.load.waiting
    return { inUse: totalCount - idleCount, idle: idleCount, waiting }
  }

  countWaitingWrites(accountId: string): number {
    return this.#limits.writes.waitingOf(accountId)
  }

  async end(): Promise<void> {
    const ended = this.#pool.end()
    const fallback = (): void => this.#watch.cutAll()
    await pTimeout(ended, { milliseconds: endLimitMs, fallback })
    await ended
  }

  #take(limitMs: number): Promise<PostgresClient> {
    return this.#within(limitMs, this.#pool.connect(), (late) => late.release())
  }

  /** @param giveBack takes what arrives too late */
  async #within<Taken>(
    limitMs: number,
    taking: Promise<Taken>,
    giveBack: (late: Taken) => void,
  ): Promise<Taken> {
    const milliseconds = Math.max(1, limitMs)
    // Creating the error in advance would cost each query a stack trace.
    const taken = await pTimeout(taking, { milliseconds, fallback: () => undefined })
    if (taken !== undefined) return taken
    taking.then(giveBack, () => {})
    throw new TimeoutError(`The pool gave no connection within ${milliseconds} ms.`)
  }
}

/** A connection that is in use, with its waits watched. */
class WatchedConnection implements PostgresClient {
  readonly #client: PostgresClient
  readonly #watch: PostgresWatch
  readonly #onRelease: (() => void) | undefined

  constructor(client: PostgresClient, watch: PostgresWatch, onRelease: (() => void) | undefined) {
    this.#client = client
    this.#watch = watch
    this.#onRelease = onRelease
  }

  async query(query: PostgresQuery): Promise<{ rows: unknown[] }> {
    const wait = this.#watch.begin(this.#client)
    try {
      const result = await this.#client.query(query)
      this.#watch.noteAnswer()
      return result
    } catch (error) {
      if (stateOf(error) !== undefined) this.#watch.noteAnswer()
      // Connections that have been idle since then are as old as this one, which did not answer in time.
      else if (isConnectionFault(error)) this.#watch.cutIdle(wait.since)
      throw error
    } finally {
      this.#watch.end(wait)
    }
  }

  release(fault?: Error | boolean): void {
    // Without this the pool would say goodbye to the server and wait for its answer before it replaces the connection.
    if (fault) destroy(this.#client)
    this.#client.release(fault)
    this.#onRelease?.()
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
