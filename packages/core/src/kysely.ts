/**
 * Clientele on your own instance of Kysely: `import { kysely } from '@clientele/core/kysely'`.
 *
 * @module
 */

export { type KyselyOptions, kysely } from './repository/kysely.ts'
export type {
  KyselyInstance,
  KyselyQuery,
  KyselyRunner,
  KyselyTransactionBuilder,
} from './sql/host-sessions/host-kysely.ts'
