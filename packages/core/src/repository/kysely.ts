import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { checkConfiguration, objectWith } from '../base/input/configuration.ts'
import { assertNodeVersion } from '../base/runtime/assert-node-version.ts'
import type { KyselyDialectName, KyselyInstance } from '../sql/host-sessions/host-kysely.ts'
import { KyselyDriver } from '../sql/kysely/driver.ts'
import { maxTimeLimitSeconds } from '../sql/max-time-limit.ts'
import { createKyselyRepository } from './create-repository.ts'
import type { Repository } from './repository.ts'

export type KyselyOptions =
  | {
      dialect: 'sqlite'
      /**
       * How long a write waits for another process's write, in seconds, before it fails with `storage_unavailable`.
       * Your connection's own `busy_timeout` is added to it. @default 5
       */
      lockTimeoutSeconds?: number
    }
  | {
      dialect: 'postgres'
      /** The schema of the tables; the migration creates it if it is missing. @default the first of the search path */
      schema?: string
    }

const instance = objectWith(['executeQuery', 'withoutPlugins', 'transaction'], '')
const anyDialect = z.looseObject({ dialect: z.enum(['postgres', 'sqlite']) })
const dialectOptions: Record<KyselyDialectName, z.ZodType> = {
  postgres: z.strictObject({
    dialect: z.literal('postgres'),
    schema: z.string().min(1).optional(),
  }),
  sqlite: z.strictObject({
    dialect: z.literal('sqlite'),
    lockTimeoutSeconds: z.number().min(0).max(maxTimeLimitSeconds).optional(),
  }),
}

/**
 * Stores everything in the database behind your own Kysely instance, with any driver. You set the instance's time
 * limits, and you destroy it. On SQLite foreign keys must be on. See guides/kysely.md.
 *
 * @throws ClienteleError `configuration_invalid` when `db` is no instance of Kysely
 *
 * @example
 * import { createClientele } from '@clientele/core'
 * import { kysely } from '@clientele/core/kysely'
 * import { Kysely, PostgresDialect } from 'kysely'
 *
 * const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
 * const clientele = await createClientele({
 *   repository: kysely(db, { dialect: 'postgres' }),
 *   secrets: ['what `openssl rand -base64 32` printed; not in the code'],
 * })
 */
export function kysely(db: KyselyInstance, options: KyselyOptions): Repository {
  assertNodeVersion()
  assertInstance(db)
  checkConfiguration(anyDialect, options, "kysely(db, { dialect: 'postgres' })")
  checkConfiguration(dialectOptions[options.dialect], options)
  const { dialect } = options
  const driver = new KyselyDriver(db, {
    dialect,
    schema: options.dialect === 'postgres' ? options.schema : undefined,
    lockTimeoutSeconds:
      (options.dialect === 'sqlite' ? options.lockTimeoutSeconds : undefined) ?? 5,
  })
  return createKyselyRepository(driver)
}

function assertInstance(db: unknown): void {
  if (!instance.safeParse(db).success) throw refuse('must be an instance of Kysely 0.24 or newer')
  if (Reflect.get(Object(db), 'isTransaction') === true)
    throw refuse('must be the instance itself: give a transaction to within()')
}

function refuse(rule: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `The first argument of kysely() ${rule}.`)
}
