import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'

/** Creates the table of users' own tokens. */
export const userTokens: Migration = {
  name: '0012-user-tokens',
  up: ({ schema }, { types, keyedTable, uncountedId }) => [
    schema
      .createTable('clientele_user_tokens')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('hash', types.sortedText, (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('expires_at', types.time)
      .addColumn('revoked_at', types.time)
      .addColumn('last_used_at', types.time)
      .addColumn('kept_until', types.time)
      .addPrimaryKeyConstraint('clientele_user_tokens_key', ['account_id', 'id'])
      .$call(ofUser('clientele_user_tokens'))
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_user_tokens_by_hash')
      .unique()
      .on('clientele_user_tokens')
      .columns(['account_id', 'hash']),
    schema
      .createIndex('clientele_user_tokens_by_user')
      .on('clientele_user_tokens')
      .columns(['account_id', 'user_id']),
    schema
      .createIndex('clientele_user_tokens_by_end')
      .on('clientele_user_tokens')
      .columns(['account_id', 'kept_until']),
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable('clientele_user_tokens')
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
  ],
}
