import type { Migration } from '../../migration.ts'

/** Creates the table of responses to requests with an `Idempotency-Key`. */
export const createReplyTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_replies')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('operation', types.sortedText, (column) => column.notNull())
    .addColumn('key', types.sortedText, (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('user_id', types.id)
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_replies_key', ['account_id', 'operation', 'key'])
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_replies_by_user')
    .on('clientele_replies')
    .columns(['account_id', 'user_id']),
  schema
    .createIndex('clientele_replies_by_expiry')
    .on('clientele_replies')
    .columns(['account_id', 'expires_at']),
]
