/**
 * Clientele on PostgreSQL: `import { postgres } from '@clientele/core/postgres'`.
 *
 * @module
 */
export {
  type PostgresOptions,
  type PostgresPool,
  type PostgresTimeLimits,
  postgres,
} from './repository/postgres.ts'
