import type { Migration } from '../migration.ts'

/** Why an attempt to deliver a webhook has no status. */
export const attemptReasons: Migration = {
  name: '0014-attempt-reasons',
  up: ({ schema }) => [schema.alterTable('clientele_webhook_attempts').addColumn('reason', 'text')],
}
