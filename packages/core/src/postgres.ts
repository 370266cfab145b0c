/**
 * Clientele on PostgreSQL: `import { postgres } from '@clientele/core/postgres'`.
 *
 * @module
 */
export {
  type PostgresOptions,
  type PostgresPool,
  postgres,
} from './database/postgres-repository.ts'
