import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of users' identities at other issuers and of the ID tokens that were used to sign in. */
export const createIdentityTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_identities')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('issuer', types.sortedText, (column) => column.notNull())
    .addColumn('subject', types.sortedText, (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('last_used_at', types.time)
    .addPrimaryKeyConstraint('clientele_identities_key', ['account_id', 'id'])
    .$call(ofUser('clientele_identities'))
    .modifyEnd(keyedTable),
  // An identity belongs to one user.
  schema
    .createIndex('clientele_identities_by_subject')
    .unique()
    .on('clientele_identities')
    .columns(['account_id', 'issuer', 'subject']),
  schema
    .createIndex('clientele_identities_by_user')
    .on('clientele_identities')
    .columns(['account_id', 'user_id', 'id']),
  schema
    .createTable('clientele_used_id_tokens')
    .addColumn('account_id', types.id, (column) =>
      column.notNull().references('clientele_accounts.id').onDelete('cascade'),
    )
    .addColumn('digest', types.sortedText, (column) => column.notNull())
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_used_id_tokens_key', ['account_id', 'digest'])
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_used_id_tokens_by_expiry')
    .on('clientele_used_id_tokens')
    .columns(['account_id', 'expires_at']),
]
