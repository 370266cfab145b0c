import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const sessionsAndSigningKeys: Migration = {
  name: '0002-sessions-and-signing-keys',
  up: ({ schema }, { types, keyedTable }) => [
    schema
      .createTable('clientele_sessions')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('amr', types.json, (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('last_used_at', types.time, (column) => column.notNull())
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addColumn('ends_at', types.time, (column) => column.notNull())
      .addColumn('successor_seed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_sessions_key', ['account_id', 'id'])
      .modifyEnd(keyedTable)
      .addForeignKeyConstraint(
        'clientele_sessions_user',
        ['account_id', 'user_id'],
        'clientele_users',
        ['account_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      ),
    schema
      .createIndex('clientele_sessions_by_user')
      .on('clientele_sessions')
      .columns(['account_id', 'user_id', 'id']),

    schema
      .createTable('clientele_refresh_tokens')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('hash', types.sortedText, (column) => column.notNull())
      .addColumn('session_id', types.id, (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('expires_at', types.time, (column) => column.notNull())
      .addColumn('used_at', types.time)
      .addPrimaryKeyConstraint('clientele_refresh_tokens_key', ['account_id', 'hash'])
      .modifyEnd(keyedTable)
      .addForeignKeyConstraint(
        'clientele_refresh_tokens_session',
        ['account_id', 'session_id'],
        'clientele_sessions',
        ['account_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      ),
    schema
      .createIndex('clientele_refresh_tokens_by_session')
      .on('clientele_refresh_tokens')
      .columns(['account_id', 'session_id']),

    schema
      .createTable('clientele_signing_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('algorithm', 'text', (column) => column.notNull())
      .addColumn('public_jwk', types.json, (column) => column.notNull())
      .addColumn('encrypted_private_jwk', 'text', (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addColumn('retired_at', types.time),
    // At most one key of an algorithm signs.
    schema
      .createIndex('clientele_signing_keys_active')
      .unique()
      .on('clientele_signing_keys')
      .columns(['algorithm'])
      .where(sql.ref('retired_at'), 'is', null),
  ],
}
