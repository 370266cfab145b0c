/**
 * Clientele on your own instance of Kysely: `import { kysely } from '@clientele/core/kysely'`.
 *
 * @module
 */
export type {
  KyselyInstance,
  KyselyQuery,
  KyselyRunner,
  KyselyTransactionBuilder,
} from './sql/kysely/host-kysely.ts'
export { type KyselyOptions, kysely } from './sql/kysely/repository.ts'
