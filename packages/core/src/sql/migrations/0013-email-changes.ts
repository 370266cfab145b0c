import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'

/** Creates the table of changes of addresses, which users take back with a mailed token. */
export const emailChanges: Migration = {
  name: '0013-email-changes',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable('clientele_email_changes')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('hash', types.sortedText, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('confirm_hash', types.sortedText, (column) => column.notNull())
      .addColumn('confirmed_version', types.counter)
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_email_changes_key', ['account_id', 'hash'])
      .$call(ofUser('clientele_email_changes'))
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_email_changes_by_confirm_hash')
      .unique()
      .on('clientele_email_changes')
      .columns(['account_id', 'confirm_hash']),
    schema
      .createIndex('clientele_email_changes_by_user')
      .on('clientele_email_changes')
      .columns(['account_id', 'user_id']),
    schema
      .createIndex('clientele_email_changes_by_expiry')
      .on('clientele_email_changes')
      .columns(['account_id', 'expires_at']),
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable('clientele_email_changes')
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
  ],
}
