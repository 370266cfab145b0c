import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of passkeys and of open ceremonies. */
export const createPasskeyTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_passkeys')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('credential_id', types.sortedText, (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', types.counter, (column) => column.notNull())
    .addColumn('rp_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('use', 'text', (column) => column.notNull())
    .addColumn('transports', types.json, (column) => column.notNull())
    .addColumn('is_synced', types.flag, (column) => column.notNull())
    .addColumn('backed_up', types.flag, (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('last_used_at', types.time)
    .addPrimaryKeyConstraint('clientele_passkeys_key', ['account_id', 'id'])
    .$call(ofUser('clientele_passkeys'))
    .modifyEnd(keyedTable),
  // An authenticator creates an id for one user of one site.
  schema
    .createIndex('clientele_passkeys_by_credential')
    .unique()
    .on('clientele_passkeys')
    .columns(['account_id', 'credential_id']),
  schema
    .createIndex('clientele_passkeys_by_user')
    .on('clientele_passkeys')
    .columns(['account_id', 'user_id', 'id']),
  schema
    .createTable('clientele_passkey_ceremonies')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('hash', types.sortedText, (column) => column.notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('user_id', types.id)
    .addColumn('encrypted_email', 'text')
    .addColumn('by_user', types.flag, (column) => column.notNull())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_passkey_ceremonies_key', ['account_id', 'hash'])
    .$call(ofUser('clientele_passkey_ceremonies'))
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_passkey_ceremonies_by_expiry')
    .on('clientele_passkey_ceremonies')
    .columns(['account_id', 'expires_at']),
  schema
    .createIndex('clientele_passkey_ceremonies_by_user')
    .on('clientele_passkey_ceremonies')
    .columns(['account_id', 'user_id']),
]
