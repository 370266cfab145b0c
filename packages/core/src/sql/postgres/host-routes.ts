import { stateOf } from './faults.ts'
import type { Tls } from './tls.ts'
import type { PostgresHost } from './url.ts'

/** One way to one server. */
export interface PostgresRoute {
  server: PostgresHost
  /** Its place among the ways to this server */
  way: number
  ssl: Tls
}

/** Whether a way leads to the same server as one that failed, and was taken since. */
export function isFurther(next: PostgresRoute, failed: PostgresRoute): boolean {
  return next !== failed && next.server === failed.server && next.way >= failed.way
}

/** The ways to the servers of a URL, of which one is in use until it fails. */
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

  /** Tries the same way anew: something else has been learned. Connections from before are as good as left. */
  renew(): void {
    const ways = this.#hosts[this.#host]
    if (ways !== undefined) ways[this.#way] = { ...this.current }
  }

  /** Goes on to the next way, unless another has done so. Where there is no other, connections are as good as before. */
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

/** Whether the server speaks no TLS, or not with us; only then it is asked without. */
function isOfTls(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const code = 'code' in fault ? String(fault.code) : ''
  return (
    /does not support SSL|establishing an SSL/.test(fault.message) ||
    /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code) ||
    stateOf(fault) === '28000'
  )
}
