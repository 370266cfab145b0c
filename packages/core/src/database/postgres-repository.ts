import pg from 'pg'
import { z } from 'zod'
import { checkConfiguration, eitherOf, objectWith } from '../domain/configuration.ts'
import type { Repository } from '../repository.ts'
import { Database } from './database.ts'
import { createKyselyRepository } from './kysely-repository.ts'
import { PostgresDriver, type PostgresPool } from './postgres-driver.ts'

export type { PostgresPool } from './postgres-driver.ts'

interface CommonOptions {
  /** Where the tables are; made by the migration when it is missing. @default the search path's first */
  schema?: string
  /** Turn off behind a pooler that can't carry named prepared statements from one transaction to the next. @default true */
  preparedStatements?: boolean
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

export type PostgresOptions = CommonOptions &
  (
    | {
        /** `postgres://user:password@host:port/database` */
        connectionString: string
        /** @default 10 */
        maxConnections?: number
        timeLimits?: PostgresTimeLimits
      }
    | {
        /** A `pg` pool of the host's own, which closes it. Give it time limits: see the README. */
        pool: PostgresPool
      }
  )

const seconds = z.number().positive().optional()
const optionsSchema = eitherOf(
  'connectionString',
  'pool',
  z.strictObject({
    schema: z.string().min(1).optional(),
    preparedStatements: z.boolean().optional(),
    connectionString: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
      .optional(),
    maxConnections: z.int().min(1).optional(),
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
 * Keeps everything in PostgreSQL 14 or newer, by `pg`. Waiting is bounded, see `timeLimits`; past that the
 * answer is `storage_unavailable`.
 *
 * @throws ClienteleError `configuration_invalid` when the connection string is not one
 *
 * @example
 * const clientele = await createClientele({
 *   repository: postgres({ connectionString: process.env.DATABASE_URL }),
 *   secrets: [process.env.CLIENTELE_SECRET],
 * })
 */
export function postgres(options: PostgresOptions): Repository {
  checkConfiguration(optionsSchema, options)
  const isOwn = 'connectionString' in options
  const pool = isOwn
    ? createPool(options.connectionString, options.maxConnections ?? 10, options.timeLimits)
    : options.pool
  const driver = new PostgresDriver(pool, {
    ownsPool: isOwn,
    schema: options.schema,
    namesStatements: options.preparedStatements ?? true,
  })
  return createKyselyRepository(new Database(driver))
}

function createPool(
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
