import { sql } from 'kysely'
import type { Migration } from '../../migration.ts'

/** Creates the tables of webhook endpoints, of deliveries to retry, and of the last attempts. */
export const createWebhookTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_webhooks')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('types', types.json, (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('is_active', types.flag, (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('encrypted_secret', 'text', (column) => column.notNull())
    .addColumn('previous_encrypted_secret', 'text')
    .addColumn('previous_expires_at', types.time)
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('updated_at', types.time, (column) => column.notNull())
    .addColumn('position', types.counter, (column) => column.notNull())
    .addColumn('failing_since', types.time)
    .addColumn('attempt_count', types.counter, (column) => column.notNull().defaultTo(sql.lit(0)))
    .addColumn('lease_holder', 'text')
    .addColumn('lease_until', types.time, (column) => column.notNull().defaultTo(sql.lit(0)))
    .addPrimaryKeyConstraint('clientele_webhooks_key', ['account_id', 'id']),
  schema
    .createTable('clientele_webhook_deliveries')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('webhook_id', types.id, (column) => column.notNull())
    .addColumn('event_id', types.id, (column) => column.notNull())
    .addColumn('position', types.counter, (column) => column.notNull())
    .addColumn('payload', 'text')
    .addColumn('attempts', types.counter, (column) => column.notNull())
    .addColumn('next_attempt_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_webhook_deliveries_key', [
      'account_id',
      'webhook_id',
      'event_id',
    ])
    .modifyEnd(keyedTable)
    .addForeignKeyConstraint(
      'clientele_webhook_deliveries_webhook',
      ['account_id', 'webhook_id'],
      'clientele_webhooks',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    ),
  schema
    .createIndex('clientele_webhook_deliveries_by_time')
    .on('clientele_webhook_deliveries')
    .columns(['account_id', 'webhook_id', 'next_attempt_at']),
  schema
    .createTable('clientele_webhook_attempts')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('webhook_id', types.id, (column) => column.notNull())
    .addColumn('slot', types.counter, (column) => column.notNull())
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('event_id', types.id, (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('attempt', types.counter, (column) => column.notNull())
    .addColumn('status', types.counter)
    .addColumn('reason', 'text')
    .addColumn('attempted_at', types.time, (column) => column.notNull())
    .addColumn('duration_ms', types.counter, (column) => column.notNull())
    // A new attempt replaces an old one: the table does not grow.
    .addPrimaryKeyConstraint('clientele_webhook_attempts_key', ['account_id', 'webhook_id', 'slot'])
    .modifyEnd(keyedTable)
    .addForeignKeyConstraint(
      'clientele_webhook_attempts_webhook',
      ['account_id', 'webhook_id'],
      'clientele_webhooks',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    ),
]
