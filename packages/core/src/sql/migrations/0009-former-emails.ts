import type { Migration } from '../migration.ts'

/** The addresses that users had: an erasure has to know them for as long as somebody may type them. */
export const formerEmails: Migration = {
  name: '0009-former-emails',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable('clientele_former_emails')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('email', types.sortedText, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_former_emails_key', ['account_id', 'user_id', 'email'])
      .addForeignKeyConstraint(
        'clientele_former_emails_user',
        ['account_id', 'user_id'],
        'clientele_users',
        ['account_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .modifyEnd(keyedTable),
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable('clientele_former_emails')
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
  ],
}
