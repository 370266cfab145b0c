import type { Migration } from '../migration.ts'

/** Creates the table of the accounts whose groups are being changed. */
export const scimLeases: Migration = {
  name: '0020-scim-leases',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_scim_leases')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('renewals', types.counter, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_scim_leases_key', ['account_id'])
      .modifyEnd(keyedTable),
  ],
}
