import type { Migration } from './migration.ts'

/** What makes totals and pages of long lists cheap: see `user-counts.ts`. */
export const userCounts: Migration = {
  name: '0003-user-counts',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_user_counts')
      .addColumn('account_id', types.id, (column) => column.primaryKey())
      .addColumn('version', types.counter, (column) => column.notNull())
      .addColumn('folded', types.counter, (column) => column.notNull()),
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
      .addPrimaryKeyConstraint('clientele_user_count_deltas_key', [
        'account_id',
        'user_id',
        'delta',
      ])
      .modifyEnd(keyedTable),
  ],
}
