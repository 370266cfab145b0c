import { z } from 'zod'
import { assertNodeVersion } from '../domain/assert-node-version.ts'
import { checkConfiguration, eitherOf, objectWith } from '../domain/configuration.ts'
import type { Repository } from '../repository.ts'
import { Database } from './database.ts'
import { createKyselyRepository } from './kysely-repository.ts'
import { PostgresDriver } from './postgres-driver.ts'
import { createPool, type PostgresPool, type PostgresTimeLimits } from './postgres-pool.ts'

export type { PostgresPool, PostgresTimeLimits } from './postgres-pool.ts'

interface CommonOptions {
  /** Where the tables are; made by the migration when it is missing. @default the search path's first */
  schema?: string
  /** Turn off behind a pooler that can't carry named prepared statements from one transaction to the next. @default true */
  preparedStatements?: boolean
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
  assertNodeVersion()
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
