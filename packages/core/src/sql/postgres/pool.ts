/** The members of a `pg` pool that we use, typed by structure so that any version of the host's works. */
export interface PostgresPool {
  /** All connections. Pools of `pg` have these three counts, others may not. */
  readonly totalCount?: number
  readonly idleCount?: number
  /** Callers that wait for a connection */
  readonly waitingCount?: number
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PostgresClient) => void): unknown
  on(event: 'release', listener: (fault: Error, client: PostgresClient) => void): unknown
  end(): Promise<void>
}

/** A connection with the members that are needed to watch and close it. */
export interface WatchableClient {
  /** The id of the server's process for this connection; behind a pooler it is a number of the pooler's own */
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
  /**
   * The duration of a statement, which the database then cancels. If the database does not answer at all, we wait a fifth
   * longer. @default 10
   */
  statementSeconds?: number
}

/** How statements are sent. The pool changes it when it learns about a pooler. */
export interface StatementMode {
  /** Whether statements are prepared under names, which a server connection remembers */
  namesStatements: boolean
  /**
   * SQL that sets the time limits at the beginning of each transaction. Empty when the connection gets its limits from
   * its start-up parameters, or when the pool is the host's. Behind a pooler limits cannot belong to a connection: they
   * would apply to the pooler's next client, too.
   */
  localSettings: string
}
