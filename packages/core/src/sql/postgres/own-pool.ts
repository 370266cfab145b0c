import type pg from 'pg'
import { loadDriver } from '../load-driver.ts'
import { stateOf } from './faults.ts'
import { isFurther, type PostgresRoute, PostgresRoutes } from './host-routes.ts'
import { type TimeLimits, toLocalSettings, toStartParameters } from './limits.ts'
import { refuseNative } from './native.ts'
import type { PostgresClient, PostgresPool, StatementMode } from './pool.ts'
import type { ProbeClient } from './probe.ts'
import { readTlsWays } from './tls.ts'
import type { PostgresHost, PostgresUrl } from './url.ts'
import { ConnectionSwallowed } from './watch.ts'

export interface OwnPoolOptions {
  url: PostgresUrl
  maxConnections: number
  limits: TimeLimits
  mode: StatementMode
  /** Creates the error for an invalid URL */
  refuse: (rule: string) => Error
  /** Called for each connection before it is made */
  onConnecting: (client: pg.Client) => void
}

/**
 * A pool that knows several routes to the database. When a route fails, the pool tries the next one and no longer hands
 * out connections of the failed route.
 */
export class PostgresOwnPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #Client: new () => pg.Client
  readonly #routes: PostgresRoutes
  readonly #routeOf = new WeakMap<object, PostgresRoute>()
  readonly #needsWriter: boolean
  /** Connections to servers that accept writes */
  readonly #writers = new WeakSet<object>()
  readonly #connectionMs: number

  constructor(all: OwnPoolOptions) {
    const { url, maxConnections, limits, refuse } = all
    const driver = loadDriver<typeof pg>('pg')
    refuseNative(
      driver.Client,
      'Unset NODE_PG_FORCE_NATIVE: Clientele works with pg, not with pg-native.',
    )
    this.#routes = new PostgresRoutes(url.hosts, readTlsWays(url, refuse))
    // Clientele writes: among several servers it needs the one that accepts writes.
    const wanted = url.target_session_attrs ?? (url.hosts.length > 1 ? 'read-write' : 'any')
    this.#needsWriter = wanted !== 'any'
    this.#connectionMs = limits.connectionSeconds * 1000
    this.#Client = this.#makeClientClass(driver, all)
    this.#pool = new driver.Pool({
      max: maxConnections,
      connectionTimeoutMillis: this.#connectionMs,
      idleTimeoutMillis: 30_000,
      Client: this.#Client,
    })
    this.#pool.on('release', (fault, client) => {
      // The primary has become a standby.
      const route = this.#routeOf.get(client)
      if (route !== undefined && stateOf(fault) === readOnly) this.#routes.leave(route, fault)
    })
  }

  async connect(): Promise<PostgresClient> {
    const routes = this.#routes
    const deadline = performance.now() + this.#connectionMs
    const failed = new Set<PostgresHost>()
    for (;;) {
      const route = routes.current
      try {
        const client = await this.#takeCurrent(deadline)
        if (client !== undefined) return client
      } catch (error) {
        const next = routes.current
        if (!isFurther(next, route)) failed.add(route.server)
        if (failed.has(next.server) || performance.now() >= deadline) throw error
      }
    }
  }

  get totalCount(): number {
    return this.#pool.totalCount
  }

  get idleCount(): number {
    return this.#pool.idleCount
  }

  get waitingCount(): number {
    return this.#pool.waitingCount
  }

  /** Makes a connection like those of the pool, outside of it. */
  openProbe(): ProbeClient {
    return new this.#Client()
  }

  /** Leaves the current route, because the server does not answer there. */
  tryAnotherRoute(): void {
    this.#routes.leave(this.#routes.current, undefined)
  }

  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PostgresClient) => void): unknown
  on(event: 'release', listener: (fault: Error, client: PostgresClient) => void): unknown
  on(event: string, listener: (...details: never[]) => void): unknown {
    return this.#pool.on(event as 'error', listener as (error: Error) => void) // the overloads above pair them
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Takes a connection; undefined when it belonged to a failed route and was closed. */
  async #takeCurrent(deadline: number): Promise<PostgresClient | undefined> {
    const client = await this.#pool.connect()
    const route = this.#routeOf.get(client)
    if (route !== this.#routes.current && performance.now() < deadline) {
      client.release(true)
      return undefined
    }
    if (this.#needsWriter && !this.#writers.has(client)) {
      try {
        await refuseReadOnly(client)
      } catch (error) {
        if (route !== undefined) this.#routes.leave(route, error)
        client.release(true)
        throw error
      }
      this.#writers.add(client)
    }
    return client
  }

  #makeClientClass({ Client }: typeof pg, { url, limits, mode, onConnecting }: OwnPoolOptions) {
    const routes = this.#routes
    const routeOf = this.#routeOf
    const config = {
      ...toConfig(url, limits),
      // If several servers do not answer, each may use its share of the time.
      connectionTimeoutMillis: this.#connectionMs / routes.hostCount,
    }
    return class RoutedClient extends Client {
      readonly #route = routes.current

      constructor() {
        const start = mode.localSettings === '' ? toStartParameters(limits) : {}
        const { server, ssl } = routes.current
        super({ ...config, ...start, ...server, ssl })
        routeOf.set(this, this.#route)
        onConnecting(this)
      }

      override connect(): Promise<pg.Client>
      override connect(done: (error: Error) => void): void
      override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
        if (done === undefined) return super.connect()
        super.connect((error: Error) => {
          if (error) this.#learn(error)
          done(error)
        })
        return undefined
      }

      #learn(fault: Error): void {
        // This connection began before the settings changed, which another connection's failure caused.
        if (fault instanceof ConnectionSwallowed) return
        if (mode.localSettings === '' && fault.message.includes('unsupported startup parameter')) {
          mode.localSettings = toLocalSettings(limits)
          mode.namesStatements &&= url.prepared_statements === true
          routes.renew()
        } else routes.leave(this.#route, fault)
      }
    }
  }
}

/** The SQLSTATE of a write that a standby refuses */
const readOnly = '25006'

async function refuseReadOnly(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'on') return
  throw Object.assign(new Error('The server takes no writes.'), { code: readOnly })
}

function toConfig(url: PostgresUrl, { statementSeconds }: TimeLimits): pg.ClientConfig {
  const { user, password, database, application_name = 'clientele', options, sslnegotiation } = url
  return {
    user,
    password,
    database,
    application_name,
    options,
    sslnegotiation,
    enableChannelBinding: url.channel_binding === 'prefer',
    query_timeout: statementSeconds * 1200,
    keepAlive: true,
  }
}
