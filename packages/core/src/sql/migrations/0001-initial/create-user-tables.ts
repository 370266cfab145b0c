import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of users and of their search words. */
export const createUserTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
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
  // An index, not a constraint: SQLite does not use the id that is in the index of a constraint, too.
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
    .$call(ofUser('clientele_user_roles')),
  schema
    .createIndex('clientele_user_roles_by_user')
    .on('clientele_user_roles')
    .columns(['account_id', 'user_id']),
  // Holds the later words of a name for searches.
  schema
    .createTable('clientele_user_words')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('word', types.sortedText, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_user_words_key', ['account_id', 'word', 'user_id'])
    .modifyEnd(keyedTable)
    .$call(ofUser('clientele_user_words')),
  schema
    .createIndex('clientele_user_words_by_user')
    .on('clientele_user_words')
    .columns(['account_id', 'user_id']),
  // The addresses that a user had before: an erasure needs them.
  schema
    .createTable('clientele_former_emails')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('email', types.sortedText, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_former_emails_key', ['account_id', 'user_id', 'email'])
    .$call(ofUser('clientele_former_emails'))
    .modifyEnd(keyedTable),
]
