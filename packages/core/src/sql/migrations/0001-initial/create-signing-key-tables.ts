import { sql } from 'kysely'
import type { Migration } from '../../migration.ts'

/** Creates the table of the keys that sign tokens. A key is published for a while before it signs. */
export const createSigningKeyTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_signing_keys')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('id', types.sortedText, (column) => column.notNull())
    .addColumn('algorithm', 'text', (column) => column.notNull())
    .addColumn('public_jwk', 'text', (column) => column.notNull())
    .addColumn('encrypted_private_jwk', 'text', (column) => column.notNull())
    .addColumn('encrypted_under', types.sortedText, (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('signs_at', types.time, (column) => column.notNull())
    .addColumn('retired_at', types.time)
    .addColumn('token_life_seconds', types.counter, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_signing_keys_key', ['account_id', 'id'])
    .modifyEnd(keyedTable),
  // At most one key of an algorithm has no successor.
  schema
    .createIndex('clientele_signing_keys_latest')
    .unique()
    .on('clientele_signing_keys')
    .columns(['account_id', 'algorithm'])
    .where(sql.ref('retired_at'), 'is', null),
  // Finds, among all accounts' keys, those that are not encrypted under the first secret.
  schema
    .createIndex('clientele_signing_keys_by_secret')
    .on('clientele_signing_keys')
    .columns(['encrypted_under', 'account_id', 'id']),
]
