import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { checkConfiguration, eitherOf, objectWith } from '../base/input/configuration.ts'
import { assertNodeVersion } from '../base/runtime/assert-node-version.ts'
import { maxTimeLimitSeconds } from '../sql/max-time-limit.ts'
import { addReplica } from '../sql/postgres/add-replica.ts'
import { addDirectReads } from '../sql/postgres/direct-reads.ts'
import { PostgresDriver } from '../sql/postgres/driver.ts'
import { chooseLimits, toLocalSettings } from '../sql/postgres/limits.ts'
import { refuseNative } from '../sql/postgres/native.ts'
import { watchHostsPool, watchOwnPool } from '../sql/postgres/open-watched.ts'
import type { PostgresPool, PostgresTimeLimits } from '../sql/postgres/pool.ts'
import { type PostgresHost, parsePostgresUrl } from '../sql/postgres/url.ts'
import { createKyselyRepository } from './create-repository.ts'
import type { Repository } from './repository.ts'

export type { PostgresPool, PostgresTimeLimits } from '../sql/postgres/pool.ts'

interface CommonOptions {
  /**
   * `postgres://…` of a read replica (a hot standby of the same server), which answers lists, exports and the feed. A
   * caller sees every write that was acknowledged before: where the replica is more than 100 ms behind, or fails, the
   * primary answers. It has a pool of its own, of `maxConnections`, or 10.
   */
  replicaConnectionString?: string
  /**
   * The schema of the tables; the migration creates it if it is missing. @default the URL's `schema`, else the first of
   * the search path
   */
  schema?: string
  /**
   * Turn off behind a pooler that does not support named prepared statements, such as PgBouncer in transaction mode.
   * @default the URL's `prepared_statements`, else true
   */
  preparedStatements?: boolean
}

interface ConnectionOptions extends CommonOptions {
  /** `postgres://user:password@host:port/database`; its parameters are in guides/postgresql.md */
  connectionString: string
  /** @default 10 */
  maxConnections?: number
  timeLimits?: PostgresTimeLimits
  /**
   * On Citus: asks the server that has an account itself for validations, API keys and the first pages of lists, at the
   * address that the cluster has of it, with the user, password and parameters of the connection string. Each server has a
   * pool of its own, of `maxConnections`. Where one cannot be asked, the coordinator answers. @default false
   */
  directReads?: boolean
}

interface HostPoolOptions extends CommonOptions {
  /** A `pg` pool of the host's own, which the host closes. Set its time limits: see guides/postgresql.md. */
  pool: PostgresPool
}

export type PostgresOptions = ConnectionOptions | HostPoolOptions

const connectionString = z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
const seconds = z.number().positive().max(maxTimeLimitSeconds).optional()
const optionsSchema = eitherOf(
  'connectionString',
  'pool',
  z.strictObject({
    schema: z.string().min(1).optional(),
    preparedStatements: z.boolean().optional(),
    replicaConnectionString: connectionString.optional(),
    connectionString: connectionString.optional(),
    maxConnections: z.int().min(1).optional(),
    directReads: z.boolean().optional(),
    timeLimits: z
      .strictObject({
        connectionSeconds: seconds,
        lockSeconds: seconds,
        statementSeconds: seconds,
      })
      .optional(),
    pool: objectWith(['connect', 'query', 'on'], 'a pg pool').optional(),
  }),
)

/**
 * Stores everything in PostgreSQL 14 or newer, with `pg`. Waiting is bounded, see `timeLimits`; after that a call fails
 * with `storage_unavailable`.
 *
 * @throws ClienteleError `configuration_invalid` when the connection string is not valid
 *
 * @example
 * const clientele = await createClientele({
 *   repository: postgres({ connectionString: 'postgres://ada:password@localhost/users' }),
 *   secrets: ['what `openssl rand -base64 32` printed; not in the code'],
 * })
 */
export function postgres(options: PostgresOptions): Repository {
  assertNodeVersion()
  checkConfiguration(optionsSchema, options, "postgres({ connectionString: 'postgres://…' })")
  return openPostgresRepository(options, {
    connectionString: 'options.connectionString',
    replicaConnectionString: 'options.replicaConnectionString',
  })
}

/** The same, with checked options; `names` are those of the URLs in errors. */
export function openPostgresRepository(
  options: PostgresOptions,
  names: Record<'connectionString' | 'replicaConnectionString', string>,
): Repository {
  const refuse = (name: keyof typeof names) => (rule: string) =>
    new ClienteleError('configuration_invalid', `${names[name]} is not valid: ${rule}.`)
  const driver =
    'connectionString' in options ? openOwn(options, refuse('connectionString')) : openOn(options)
  if ('connectionString' in options && options.directReads === true)
    addDirectReads(driver, (host, port) =>
      openOwn({ ...options, ...whileAway(options) }, refuse('connectionString'), { host, port }),
    )
  if (options.replicaConnectionString !== undefined)
    addReplica(driver, openReplica(options, driver.schema, refuse('replicaConnectionString')))
  return createKyselyRepository(driver)
}

function openReplica(
  options: PostgresOptions,
  schema: string | undefined,
  refuse: (rule: string) => Error,
): PostgresDriver {
  const { replicaConnectionString = '', preparedStatements } = options
  const { schema: named } = parsePostgresUrl(replicaConnectionString, refuse)
  if (named !== undefined && named !== schema)
    throw refuse('its schema is that of the primary, and need not be named')
  const { maxConnections = 10, timeLimits = {} } = 'connectionString' in options ? options : {}
  return openOwn(
    {
      connectionString: replicaConnectionString,
      maxConnections,
      ...whileAway({ timeLimits }),
      ...(preparedStatements !== undefined && { preparedStatements }),
      ...(schema !== undefined && { schema }),
    },
    refuse,
  )
}

/** While a server is away that only reads, they wait this long once in a while. */
function whileAway({ timeLimits }: Pick<ConnectionOptions, 'timeLimits'>) {
  return { timeLimits: { ...timeLimits, connectionSeconds: 1 } }
}

function openOn({ pool, schema, preparedStatements = true }: HostPoolOptions): PostgresDriver {
  refuseNative(
    Reflect.get(pool, 'Client'),
    'options.pool must be a pool of pg, not of pg.native: Clientele works with pg itself.',
  )
  const mode = { namesStatements: preparedStatements, localSettings: '' }
  return new PostgresDriver(watchHostsPool(pool), { ownsPool: false, schema, mode })
}

/** @param server another one than the URL has */
function openOwn(
  options: ConnectionOptions,
  refuse: (rule: string) => Error,
  server?: PostgresHost,
): PostgresDriver {
  const parsed = parsePostgresUrl(options.connectionString, refuse)
  const url = {
    ...parsed,
    ...(server && { hosts: [server], target_session_attrs: undefined }),
    prepared_statements: options.preparedStatements ?? parsed.prepared_statements,
    schema: options.schema ?? parsed.schema,
  }
  const limits = chooseLimits(options.timeLimits ?? {}, url)
  const mode = {
    namesStatements: url.prepared_statements ?? true,
    localSettings: url.prepared_statements === false ? toLocalSettings(limits) : '',
  }
  const { maxConnections = 10 } = options
  const pool = watchOwnPool({ url, maxConnections, limits, mode, refuse })
  return new PostgresDriver(pool, { ownsPool: true, schema: url.schema, mode })
}
