import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * Keeps the index of all next attempts for the statement that says `attempts >= 0`, which is so of each row: for the next
 * attempt of one endpoint PostgreSQL would read it too, from the first attempt of anybody on, once one endpoint has nearly
 * all rows.
 */
export const attemptIndex: Migration = {
  name: '0023-attempt-index',
  up: ({ schema }) => [
    schema.dropIndex('clientele_webhook_deliveries_by_attempt').ifExists(),
    schema
      .createIndex('clientele_webhook_deliveries_of_all')
      .on('clientele_webhook_deliveries')
      .column('next_attempt_at')
      .where(sql.ref('attempts'), '>=', sql.lit(0)),
  ],
}
