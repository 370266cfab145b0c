import type { Migration } from '../../migration.ts'

/** Creates the tables of the issuers that an account trusts, and of the nonces for signing in with their ID tokens. */
export const createIssuerTables: Migration['up'] = ({ schema }, { types }) => [
  schema
    .createTable('clientele_trusted_issuers')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('issuer', types.sortedText, (column) => column.notNull())
    .addColumn('audience', 'text', (column) => column.notNull())
    .addColumn('algorithms', types.json, (column) => column.notNull())
    .addColumn('client_id_as_audience', types.flag, (column) => column.notNull())
    .addColumn('user_claim', 'text', (column) => column.notNull())
    .addColumn('user_lookup', 'text', (column) => column.notNull())
    .addColumn('sign_in', types.flag, (column) => column.notNull())
    .addColumn('link_by_email', types.flag, (column) => column.notNull())
    .addColumn('nonce', 'text', (column) => column.notNull())
    .addColumn('max_age_seconds', types.counter)
    .addColumn('encrypted_secret', 'text')
    .addColumn('public_keys', types.json)
    .addColumn('jwks_url', 'text')
    .addColumn('max_lifetime_seconds', types.counter, (column) => column.notNull())
    .addColumn('trust_unverified_email', types.flag, (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('updated_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_trusted_issuers_key', ['account_id', 'id'])
    .addUniqueConstraint('clientele_trusted_issuers_by_issuer', ['account_id', 'issuer']),
]
