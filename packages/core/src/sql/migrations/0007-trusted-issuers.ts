import type { Migration } from './migration.ts'

export const trustedIssuers: Migration = {
  name: '0007-trusted-issuers',
  up: ({ schema }, { types }) => [
    schema
      .createTable('clientele_trusted_issuers')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('issuer', types.sortedText, (column) => column.notNull())
      .addColumn('audience', 'text', (column) => column.notNull())
      .addColumn('algorithms', types.json, (column) => column.notNull())
      .addColumn('user_claim', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text')
      .addColumn('public_keys', types.json)
      .addColumn('jwks_url', 'text')
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('updated_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_trusted_issuers_key', ['account_id', 'id'])
      .addUniqueConstraint('clientele_trusted_issuers_by_issuer', ['account_id', 'issuer']),
  ],
}
