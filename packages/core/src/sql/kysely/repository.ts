import { z } from 'zod'
import { checkConfiguration, objectWith } from '../../input/configuration.ts'
import type { Repository } from '../../repository.ts'
import { assertNodeVersion } from '../../runtime/assert-node-version.ts'
import { createKyselyRepository } from '../repository.ts'
import { KyselyDriver } from './driver.ts'
import type { KyselyInstance } from './host-kysely.ts'

export type KyselyOptions =
  | { dialect: 'sqlite' }
  | {
      dialect: 'postgres'
      /** Where the tables are; made by the migration when it is missing. @default the search path's first */
      schema?: string
    }

const argumentsSchema = z.strictObject({
  db: objectWith(['executeQuery', 'withoutPlugins', 'transaction'], 'an instance of Kysely'),
  options: z.discriminatedUnion('dialect', [
    z.strictObject({ dialect: z.literal('sqlite') }),
    z.strictObject({ dialect: z.literal('postgres'), schema: z.string().min(1).optional() }),
  ]),
})

/**
 * Keeps everything in the database behind your own instance of Kysely, whichever driver it has. The instance stays yours:
 * you set its time limits, and you destroy it. On SQLite foreign keys have to be on. See guides/kysely.md.
 *
 * @throws ClienteleError `configuration_invalid` when `db` is no instance of Kysely
 *
 * @example
 * const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
 * const clientele = await createClientele({
 *   repository: kysely(db, { dialect: 'postgres' }),
 *   secrets: ['what `openssl rand -base64 32` printed; not in the code'],
 * })
 */
export function kysely(db: KyselyInstance, options: KyselyOptions): Repository {
  assertNodeVersion()
  checkConfiguration(argumentsSchema, { db, options }, "kysely(db, { dialect: 'postgres' })")
  return createKyselyRepository(
    new KyselyDriver(db, {
      dialect: options.dialect,
      schema: 'schema' in options ? options.schema : undefined,
    }),
  )
}
