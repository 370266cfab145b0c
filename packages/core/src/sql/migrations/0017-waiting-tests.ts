import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Finds the test messages that wait, which an endpoint gets also while it is off, beside any number of deliveries. */
export const waitingTests: Migration = {
  name: '0017-waiting-tests',
  up: ({ schema }) => [
    schema
      .createIndex('clientele_webhook_deliveries_of_tests')
      .on('clientele_webhook_deliveries')
      .columns(['account_id', 'webhook_id', 'next_attempt_at'])
      .where(sql.ref('payload'), 'is not', null),
  ],
}
