/** What we use of a `pg` pool, typed by structure so that any version of the host's will do. */
export interface PostgresPool {
  /** How many connections there are, how many of them are idle, and how many wait for one; pools of `pg` count them. */
  readonly totalCount?: number
  readonly idleCount?: number
  readonly waitingCount?: number
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PostgresClient) => void): unknown
  on(event: 'release', listener: (fault: Error, client: PostgresClient) => void): unknown
  end(): Promise<void>
}

/** A connection as far as it can be judged, and thrown away. */
export interface JudgedClient {
  /** The number of the server's process behind it; a pooler makes numbers up */
  processID?: unknown
  connection?: {
    stream?: { destroy(fault?: Error): unknown; remoteAddress?: string | undefined } | undefined
  }
}

export interface PostgresClient extends JudgedClient {
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

/** How long to wait, in seconds, before the answer is `storage_unavailable`. */
export interface PostgresTimeLimits {
  /** For a connection; like the others at most 1,000,000. @default 5 */
  connectionSeconds?: number
  /** For a lock. @default 5 */
  lockSeconds?: number
  /** For a statement; a database that does not answer at all is given a fifth more. @default 10 */
  statementSeconds?: number
}

/** How statements are sent; what is learned on the way changes it. */
export interface PostgresManner {
  /** Whether statements are prepared under names, which a connection to the server keeps */
  namesStatements: boolean
  /**
   * What each transaction sets for itself. Empty where a connection has its limits from the start, or from its owner;
   * behind a pooler it cannot: what one client sets, the next would have.
   */
  localSettings: string
}
