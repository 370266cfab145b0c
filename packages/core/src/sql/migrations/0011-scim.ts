import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'

const grown = ['clientele_scim_users', 'clientele_scim_groups'] as const

/** Creates the tables of the names that SCIM gives to users, and of its groups. */
export const scim: Migration = {
  name: '0011-scim',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable('clientele_scim_users')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('user_name', 'text', (column) => column.notNull())
      .addColumn('user_name_key', types.sortedText, (column) => column.notNull())
      .addColumn('external_id', types.sortedText)
      .addColumn('given_name', 'text')
      .addColumn('family_name', 'text')
      .addColumn('full_name', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_scim_users_key', ['account_id', 'user_id'])
      .$call(ofUser('clientele_scim_users'))
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_scim_users_by_name')
      .unique()
      .on('clientele_scim_users')
      .columns(['account_id', 'user_name_key']),
    schema
      .createIndex('clientele_scim_users_by_external_id')
      .on('clientele_scim_users')
      .columns(['account_id', 'external_id']),
    schema
      .createTable('clientele_scim_groups')
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('role', types.sortedText, (column) => column.notNull())
      .addColumn('role_key', types.sortedText, (column) => column.notNull())
      .addColumn('external_id', types.sortedText)
      .addColumn('version', types.counter, (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('updated_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_scim_groups_key', ['account_id', 'id'])
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_scim_groups_by_role')
      .unique()
      .on('clientele_scim_groups')
      .columns(['account_id', 'role_key']),
    ...(uncountedId === undefined
      ? []
      : grown.map((table) =>
          schema
            .alterTable(table)
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        )),
  ],
}
