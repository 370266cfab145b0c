/** The members of a `pg` pool that we use, typed by structure so that any version of the host's works. */
export interface PostgresPool {
  /** The number of connections, of idle ones, and of requests that wait for one; pools of `pg` count them. */
  readonly totalCount?: number
  readonly idleCount?: number
  readonly waitingCount?: number
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PostgresClient) => void): unknown
  on(event: 'release', listener: (fault: Error, client: PostgresClient) => void): unknown
  end(): Promise<void>
}

/** A connection with the members that are needed to watch and close it. */
export interface WatchableClient {
  /** The process id of its server backend; a pooler invents numbers */
  processID?: unknown
  connection?: {
    stream?: { destroy(fault?: Error): unknown; remoteAddress?: string | undefined } | undefined
  }
}

export interface PostgresClient extends WatchableClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'end', listener: () => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(error?: Error | boolean): void
}

export interface PostgresQuery {
  name?: string
  text: string
  values?: unknown[]
  types?: { getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown }
}

/** The time limits, in seconds, after which a call fails with `storage_unavailable`. */
export interface PostgresTimeLimits {
  /** The wait for a connection; at most 1,000,000, like the other limits. @default 5 */
  connectionSeconds?: number
  /** The wait for a lock. @default 5 */
  lockSeconds?: number
  /** The duration of a statement. A database that does not answer at all gets a fifth more. @default 10 */
  statementSeconds?: number
}

/** How statements are sent. The pool changes it when it learns about a pooler. */
export interface StatementMode {
  /** Whether statements are prepared under names, which a server connection remembers */
  namesStatements: boolean
  /**
   * The settings that each transaction makes for itself. Empty when the connection has its limits from the start, or
   * from its owner. Behind a pooler a connection cannot have them: one client's settings would apply to the next.
   */
  localSettings: string
}
