import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'

/** Creates the table of the devices on which users sign in without a second factor. */
export const devices: Migration = {
  name: '0009-devices',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable('clientele_devices')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('last_used_at', types.time, (column) => column.notNull())
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addColumn('successor_seed', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_devices_key', ['account_id', 'id'])
      .$call(ofUser('clientele_devices'))
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_devices_by_user')
      .on('clientele_devices')
      .columns(['account_id', 'user_id']),
    schema
      .createIndex('clientele_devices_by_expiry')
      .on('clientele_devices')
      .columns(['account_id', 'expires_at']),
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable('clientele_devices')
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
  ],
}
