import pg from 'pg'

/** What we use of a `pg` pool, typed by structure so that any version of the host's will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown
  end(): Promise<void>
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
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
  /** For a connection. @default 5 */
  connectionSeconds?: number
  /** For a lock. @default 5 */
  lockSeconds?: number
  /** For a statement; a database that does not answer at all is given a fifth more. @default 10 */
  statementSeconds?: number
}

/** Opens a pool of our own. */
export function createPool(
  connectionString: string,
  max: number,
  { connectionSeconds = 5, lockSeconds = 5, statementSeconds = 10 }: PostgresTimeLimits = {},
): PostgresPool {
  return new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectionSeconds * 1000,
    idleTimeoutMillis: 30_000,
    lock_timeout: lockSeconds * 1000,
    statement_timeout: statementSeconds * 1000,
    query_timeout: statementSeconds * 1200,
    idle_in_transaction_session_timeout: statementSeconds * 1500,
    keepAlive: true,
    application_name: 'clientele',
  })
}
