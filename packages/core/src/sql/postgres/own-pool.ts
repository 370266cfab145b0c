import type pg from 'pg'
import { loadDriver } from '../load-driver.ts'
import type { AsideClient } from './aside.ts'
import { stateOf } from './faults.ts'
import { isFurther, type PostgresRoute, PostgresRoutes } from './host-routes.ts'
import { type TimeLimits, toLocalSettings, toStartParameters } from './limits.ts'
import { refuseNative } from './native.ts'
import type { PostgresClient, PostgresManner, PostgresPool } from './pool.ts'
import { readTlsWays } from './tls.ts'
import type { PostgresHost, PostgresUrl } from './url.ts'
import { ConnectionSwallowed } from './watch.ts'

export interface OwnPoolOptions {
  url: PostgresUrl
  maxConnections: number
  limits: TimeLimits
  manner: PostgresManner
  /** Makes the error for a rule that the URL breaks */
  refuse: (rule: string) => Error
  /** Hears of every connection before it is made */
  onConnecting: (client: pg.Client) => void
}

/**
 * A pool that knows several ways to the database: where one fails the next is tried, and connections of a way that was
 * left are not handed out any more.
 */
export class PostgresOwnPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #Client: new () => pg.Client
  readonly #routes: PostgresRoutes
  readonly #routeOf = new WeakMap<object, PostgresRoute>()
  readonly #needsWriter: boolean
  /** Connections to servers that take writes */
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
    // What is kept has to be written: of several servers the one that takes writes is meant.
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
    const deadline = Date.now() + this.#connectionMs
    const failed = new Set<PostgresHost>()
    for (;;) {
      const route = routes.current
      try {
        const client = await this.#takeCurrent(deadline)
        if (client !== undefined) return client
      } catch (error) {
        const next = routes.current
        if (!isFurther(next, route)) failed.add(route.server)
        if (failed.has(next.server) || Date.now() >= deadline) throw error
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

  /** Makes a connection like the pool's, which is not in it. */
  openAside(): AsideClient {
    return new this.#Client()
  }

  /** Leaves the way that is in use: nobody answers there. */
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

  /** Takes a connection; undefined where it is of a way that was left, and so was thrown away. */
  async #takeCurrent(deadline: number): Promise<PostgresClient | undefined> {
    const client = await this.#pool.connect()
    const route = this.#routeOf.get(client)
    if (route !== this.#routes.current && Date.now() < deadline) {
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

  #makeClientClass({ Client }: typeof pg, { url, limits, manner, onConnecting }: OwnPoolOptions) {
    const routes = this.#routes
    const routeOf = this.#routeOf
    const config = {
      ...toConfig(url, limits),
      // Of several servers that do not answer each may take its share.
      connectionTimeoutMillis: this.#connectionMs / routes.hostCount,
    }
    return class RoutedClient extends Client {
      readonly #route = routes.current

      constructor() {
        const start = manner.localSettings === '' ? toStartParameters(limits) : {}
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
        // It was begun too early. Others have come through.
        if (fault instanceof ConnectionSwallowed) return
        if (
          manner.localSettings === '' &&
          fault.message.includes('unsupported startup parameter')
        ) {
          manner.localSettings = toLocalSettings(limits)
          manner.namesStatements &&= url.prepared_statements === true
          routes.renew()
        } else routes.leave(this.#route, fault)
      }
    }
  }
}

/** SQLSTATE of a write that a standby refuses */
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
