import type { Migration } from './migration.ts'

/** How far an import has come, so that one that was interrupted goes on. */
export const imports: Migration = {
  name: '0008-imports',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_imports')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('source', types.sortedText, (column) => column.notNull())
      .addColumn('records', types.counter, (column) => column.notNull())
      .addColumn('imported', types.counter, (column) => column.notNull())
      .addColumn('skipped', types.counter, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_imports_key', ['account_id', 'source'])
      .modifyEnd(keyedTable),
  ],
}
