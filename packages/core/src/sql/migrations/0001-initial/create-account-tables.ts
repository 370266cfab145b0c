import type { Migration } from '../../migration.ts'

/** Creates the table of API keys. */
export const createAccountTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_accounts')
    .addColumn('id', types.id, (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('allowed_roles', types.json)
    .addColumn('passkeys', types.json)
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('disabled_at', types.time),
  schema
    .createTable('clientele_api_keys')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', types.json, (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', types.sortedText, (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('expires_at', types.time)
    .addColumn('revoked_at', types.time)
    .addColumn('last_used_at', types.time)
    .addColumn('replaced_at', types.time)
    .addColumn('unreplaced_expires_at', types.time)
    .addPrimaryKeyConstraint('clientele_api_keys_key', ['account_id', 'id'])
    .modifyEnd(keyedTable),
  // Not unique: that would be a constraint across accounts, and 256 random bits need none.
  schema.createIndex('clientele_api_keys_by_hash').on('clientele_api_keys').columns(['hash']),
]
