import type { Migration } from '../../migration.ts'

/**
 * Creates the tables of counts: users (for totals and pages of long lists), failed attempts, the progress of imports.
 */
export const createCountTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_user_counts')
    .addColumn('account_id', types.id, (column) => column.primaryKey())
    .addColumn('version', types.counter, (column) => column.notNull())
    .addColumn('folded', types.counter, (column) => column.notNull()),
  schema
    .createTable('clientele_user_count_groups')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('lower_id', types.id, (column) => column.notNull())
    .addColumn('folded', types.counter, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_user_count_groups_key', ['account_id', 'lower_id'])
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_user_count_ranges')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('lower_id', types.id, (column) => column.notNull())
    .addColumn('folded', types.counter, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_user_count_ranges_key', ['account_id', 'lower_id'])
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_user_count_deltas')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('delta', types.counter, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_user_count_deltas_key', ['account_id', 'user_id', 'delta'])
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_rate_limits')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('key', types.sortedText, (column) => column.notNull())
    .addColumn('points', types.counter, (column) => column.notNull())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_rate_limits_key', ['account_id', 'key'])
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_rate_limits_by_expiry')
    .on('clientele_rate_limits')
    .columns(['account_id', 'expires_at']),
  schema
    .createTable('clientele_imports')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('source', types.sortedText, (column) => column.notNull())
    .addColumn('records', types.counter, (column) => column.notNull())
    .addColumn('imported', types.counter, (column) => column.notNull())
    .addColumn('updated', types.counter, (column) => column.notNull())
    .addColumn('skipped', types.counter, (column) => column.notNull())
    .addColumn('conflicts', types.counter, (column) => column.notNull())
    .addColumn('without_password', types.counter, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_imports_key', ['account_id', 'source'])
    .modifyEnd(keyedTable),
]
