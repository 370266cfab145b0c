import { ClienteleError } from '../base/errors.ts'
import type { Repository } from './repository.ts'

/** The default of `DATABASE_URL` for the server and the command line; relative to the current directory. */
export const defaultDatabaseUrl = 'sqlite:./data/clientele.sqlite'

export interface OpenRepositoryOptions {
  /** Refuses a missing SQLite file instead of creating it. @default false */
  fileMustExist?: boolean
  /** On PostgreSQL: the URL of a read replica; see `replicaConnectionString` of `postgres()` */
  replicaUrl?: string | undefined
  /** On Citus: see `directReads` of `postgres()`. @default false */
  directReads?: boolean
}

/**
 * Opens the storage that a URL names, and loads only that database's driver.
 *
 * - `sqlite:./data/clientele.sqlite`: a file, relative to the current directory; `sqlite:/var/lib/…`: an absolute path
 * - `sqlite::memory:`: lost when the process ends
 * - `postgres://user:password@host:5432/database`: with libpq's parameters, `schema` and `prepared_statements`, all
 *   optional; with several hosts (`host1,host2`), or a socket (`postgres:///database?host=/var/run/postgresql`)
 *
 * @throws ClienteleError `configuration_invalid`, with a message that never contains the URL
 *
 * @example
 * const clientele = await createClientele({ repository: await openRepository('sqlite:./users.sqlite') })
 */
export async function openRepository(
  databaseUrl: string,
  { fileMustExist = false, replicaUrl, directReads = false }: OpenRepositoryOptions = {},
): Promise<Repository> {
  if (isSqlite(databaseUrl)) {
    if (replicaUrl !== undefined) throw needsPostgres('DATABASE_REPLICA_URL')
    if (directReads) throw needsPostgres('DATABASE_DIRECT_READS')
    const { sqlite } = await import('./sqlite.ts')
    return sqlite({ filename: readFilename(databaseUrl), fileMustExist })
  }
  const { openPostgresRepository } = await import('./postgres.ts')
  return openPostgresRepository(
    {
      connectionString: databaseUrl,
      directReads,
      ...(replicaUrl !== undefined && { replicaConnectionString: replicaUrl }),
    },
    { connectionString: 'DATABASE_URL', replicaConnectionString: 'DATABASE_REPLICA_URL' },
  )
}

/**
 * Validates URLs as `openRepository` does, without opening anything.
 *
 * @throws ClienteleError `configuration_invalid`, with a message that never contains the URL
 */
export async function checkDatabaseUrl(
  databaseUrl: string,
  {
    replicaUrl,
    directReads = false,
  }: Pick<OpenRepositoryOptions, 'replicaUrl' | 'directReads'> = {},
): Promise<void> {
  if (isSqlite(databaseUrl)) {
    if (replicaUrl !== undefined) throw needsPostgres('DATABASE_REPLICA_URL')
    if (directReads) throw needsPostgres('DATABASE_DIRECT_READS')
    readFilename(databaseUrl)
    return
  }
  const { parsePostgresUrl } = await import('../sql/postgres/url.ts')
  const { readTlsWays } = await import('../sql/postgres/tls.ts')
  readTlsWays(parsePostgresUrl(databaseUrl, invalid), invalid)
  if (replicaUrl === undefined) return
  const refuse = (rule: string) => invalid(rule, 'DATABASE_REPLICA_URL')
  readTlsWays(parsePostgresUrl(replicaUrl, refuse), refuse)
}

function isSqlite(databaseUrl: string): boolean {
  if (databaseUrl.startsWith('sqlite:')) return true
  if (/^postgres(ql)?:/.test(databaseUrl)) return false
  throw invalid('it must begin with sqlite: or postgres://, as in sqlite:./data/users.sqlite')
}

/**
 * Reads the file of a URL of SQLite.
 *
 * @returns undefined for a database in memory, and for PostgreSQL
 * @throws ClienteleError `configuration_invalid`
 *
 * @example
 * import { findDatabaseFile } from '@clientele/core/database-url'
 *
 * findDatabaseFile('sqlite:./users.sqlite') // './users.sqlite'
 */
export function findDatabaseFile(databaseUrl: string): string | undefined {
  if (!isSqlite(databaseUrl)) return undefined
  const filename = readFilename(databaseUrl)
  return filename === ':memory:' ? undefined : filename
}

/**
 * Names the database of a URL in memory or of PostgreSQL, without user, password and parameters.
 *
 * @throws ClienteleError `configuration_invalid`, with a message that never contains the URL
 *
 * @example
 * import { describeServer } from '@clientele/core/database-url'
 *
 * await describeServer('postgres://user:password@localhost:5432/app') // 'PostgreSQL at localhost:5432, database app'
 */
export async function describeServer(databaseUrl: string): Promise<string> {
  if (isSqlite(databaseUrl)) return 'SQLite in memory'
  const { parsePostgresUrl } = await import('../sql/postgres/url.ts')
  const { hosts, database } = parsePostgresUrl(databaseUrl, invalid)
  const places = hosts.map(({ host = 'localhost', port }) =>
    port === undefined ? host : `${host}:${port}`,
  )
  return `PostgreSQL at ${places.join(', ')}${database === undefined ? '' : `, database ${database}`}`
}

function readFilename(databaseUrl: string): string {
  const filename = databaseUrl.slice('sqlite:'.length)
  // With two slashes the next part of a URL is a host, which SQLite does not have.
  if (filename === '' || /^\/\/(?!\/)/.test(filename)) {
    throw invalid('name a file: sqlite:./data/clientele.sqlite, or sqlite::memory:')
  }
  return filename.replace(/^\/+/, '/')
}

function invalid(rule: string, variable = 'DATABASE_URL'): ClienteleError {
  return new ClienteleError('configuration_invalid', `${variable} is not valid: ${rule}.`)
}

function needsPostgres(variable: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `${variable} needs PostgreSQL.`)
}
