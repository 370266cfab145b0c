import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of e-mail tokens and of the addresses that they verified. */
export const createEmailTokenTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_email_tokens')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('hash', types.sortedText, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_email_tokens_key', ['account_id', 'hash'])
    .$call(ofUser('clientele_email_tokens'))
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_email_tokens_by_user')
    .on('clientele_email_tokens')
    .columns(['account_id', 'user_id']),
  schema
    .createIndex('clientele_email_tokens_by_expiry')
    .on('clientele_email_tokens')
    .columns(['account_id', 'expires_at']),
  schema
    .createTable('clientele_verified_emails')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('verified_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_verified_emails_key', ['account_id', 'user_id'])
    .$call(ofUser('clientele_verified_emails'))
    .modifyEnd(keyedTable),
]
