import { stateOf } from './faults.ts'
import type { Tls } from './tls.ts'
import type { PostgresHost } from './url.ts'

/** A route to a server: the server and how TLS is used with it. */
export interface PostgresRoute {
  server: PostgresHost
  /** Its index among the routes to this server */
  way: number
  ssl: Tls
}

/** Whether a route leads to the same server as the failed one and comes after it. */
export function isFurther(next: PostgresRoute, failed: PostgresRoute): boolean {
  return next !== failed && next.server === failed.server && next.way >= failed.way
}

/** The routes to the servers of a URL. One of them is in use until it fails. */
export class PostgresRoutes {
  readonly #hosts: readonly PostgresRoute[][]
  #host = 0
  #way = 0

  constructor(hosts: readonly PostgresHost[], ways: readonly Tls[]) {
    this.#hosts = hosts.map((server) => {
      const isSocket = (server.host ?? process.env.PGHOST)?.startsWith('/') ?? false
      return (isSocket ? [false as const] : ways).map((ssl, way) => ({ server, way, ssl }))
    })
  }

  get current(): PostgresRoute {
    const route = this.#hosts[this.#host]?.[this.#way]
    if (route === undefined) throw new RangeError('There is no route.')
    return route
  }

  get hostCount(): number {
    return this.#hosts.length
  }

  /** Renews the current route after something new was learned about it. Earlier connections are then outdated. */
  renew(): void {
    const ways = this.#hosts[this.#host]
    if (ways !== undefined) ways[this.#way] = { ...this.current }
  }

  /**
   * Switches to the next route, unless another caller has done so. Without another route the connections stay valid.
   */
  leave(route: PostgresRoute, fault: unknown): void {
    if (route !== this.current) return
    const ways = this.#hosts[this.#host] ?? []
    if (isOfTls(fault) && this.#way + 1 < ways.length) this.#way++
    else if (this.#hosts.length > 1) {
      this.#host = (this.#host + 1) % this.#hosts.length
      this.#way = 0
    } else if (isOfTls(fault)) this.#way = 0
  }
}

/** Whether the server does not support TLS, or the handshake failed; only then the next route tries without TLS. */
function isOfTls(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const code = 'code' in fault ? String(fault.code) : ''
  return (
    /does not support SSL|establishing an SSL/.test(fault.message) ||
    /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code) ||
    stateOf(fault) === '28000'
  )
}
