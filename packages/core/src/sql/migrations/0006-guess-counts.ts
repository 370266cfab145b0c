import type { Migration } from './migration.ts'

export const guessCounts: Migration = {
  name: '0006-guess-counts',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_guess_counts')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('key', types.sortedText, (column) => column.notNull())
      .addColumn('points', types.counter, (column) => column.notNull())
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_guess_counts_key', ['account_id', 'key'])
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_guess_counts_by_expiry')
      .on('clientele_guess_counts')
      .columns(['account_id', 'expires_at']),
  ],
}
