import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'

const table = 'clientele_sign_in_codes'

/** Creates the table of mailed codes that sign in: a row per address, whether a user has it or not. */
export const signInCodes: Migration = {
  name: '0008-sign-in-codes',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable(table)
      .addColumn('account_id', types.id, (column) =>
        column.notNull().references('clientele_accounts.id').onDelete('cascade'),
      )
      .addColumn('email', types.sortedText, (column) => column.notNull())
      .addColumn('hash', types.sortedText, (column) => column.notNull())
      .addColumn('user_id', types.id)
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('tries_left', types.counter, (column) => column.notNull())
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['account_id', 'email'])
      .$call(ofUser(table))
      .modifyEnd(keyedTable),
    schema.createIndex(`${table}_by_hash`).unique().on(table).columns(['account_id', 'hash']),
    schema.createIndex(`${table}_by_user`).on(table).columns(['account_id', 'user_id']),
    schema.createIndex(`${table}_by_expiry`).on(table).columns(['account_id', 'expires_at']),
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable(table)
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
  ],
}
