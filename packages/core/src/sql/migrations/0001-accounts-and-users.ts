import type { Migration } from './migration.ts'

/**
 * The account's id comes first in every key, so that the tables can be distributed by account. No sequence, no
 * trigger, and no constraint that spans accounts.
 */
export const accountsAndUsers: Migration = {
  name: '0001-accounts-and-users',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_accounts')
      .addColumn('id', types.id, (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('allowed_roles', types.json)
      .addColumn('created_at', types.time, (column) => column.notNull()),

    schema
      .createTable('clientele_api_keys')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('scopes', types.json, (column) => column.notNull())
      .addColumn('hint', 'text', (column) => column.notNull())
      .addColumn('hash', types.sortedText, (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('expires_at', types.time)
      .addColumn('revoked_at', types.time)
      .addColumn('last_used_at', types.time)
      .addPrimaryKeyConstraint('clientele_api_keys_key', ['account_id', 'id'])
      .modifyEnd(keyedTable),
    // Not unique: that would be a constraint across accounts, and 256 random bits need none.
    schema.createIndex('clientele_api_keys_by_hash').on('clientele_api_keys').columns(['hash']),

    schema
      .createTable('clientele_users')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('email', types.sortedText, (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', types.sortedText, (column) => column.notNull())
      .addColumn('roles', types.json, (column) => column.notNull())
      .addColumn('metadata', types.json, (column) => column.notNull())
      .addColumn('is_active', types.flag, (column) => column.notNull())
      .addColumn('password_hash', 'text')
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('updated_at', types.time, (column) => column.notNull())
      .addColumn('version', types.counter, (column) => column.notNull())
      .addColumn('tokens_not_before', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_users_key', ['account_id', 'id'])
      .modifyEnd(keyedTable),
    // Not a constraint: of the index that one brings along SQLite does not know that it has the id too.
    schema
      .createIndex('clientele_users_by_email')
      .unique()
      .on('clientele_users')
      .columns(['account_id', 'email']),
    schema
      .createIndex('clientele_users_by_created_at')
      .on('clientele_users')
      .columns(['account_id', 'created_at', 'id']),
    schema
      .createIndex('clientele_users_by_name')
      .on('clientele_users')
      .columns(['account_id', 'name_key', 'id']),
    schema
      .createIndex('clientele_users_by_is_active')
      .on('clientele_users')
      .columns(['account_id', 'is_active', 'id']),

    schema
      .createTable('clientele_user_roles')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('role', types.sortedText, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_user_roles_key', ['account_id', 'role', 'user_id'])
      .modifyEnd(keyedTable)
      .addForeignKeyConstraint(
        'clientele_user_roles_user',
        ['account_id', 'user_id'],
        'clientele_users',
        ['account_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      ),
    schema
      .createIndex('clientele_user_roles_by_user')
      .on('clientele_user_roles')
      .columns(['account_id', 'user_id']),
  ],
}
