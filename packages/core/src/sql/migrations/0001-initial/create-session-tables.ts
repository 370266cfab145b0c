import { sql } from 'kysely'
import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of sessions and of how often each was refreshed. */
export const createSessionTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
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
    .addColumn('refresh_token_hash', 'text', (column) => column.notNull())
    .addColumn('refreshes', types.counter, (column) => column.notNull().defaultTo(sql.lit(0)))
    .addColumn('refreshed_at', types.time)
    .addColumn('window_refreshes', types.counter, (column) =>
      column.notNull().defaultTo(sql.lit(0)),
    )
    .addColumn('window_ends_at', types.time, (column) => column.notNull().defaultTo(sql.lit(0)))
    .addPrimaryKeyConstraint('clientele_sessions_key', ['account_id', 'id'])
    .modifyEnd(keyedTable)
    .$call(ofUser('clientele_sessions')),
  schema
    .createIndex('clientele_sessions_by_user')
    .on('clientele_sessions')
    .columns(['account_id', 'user_id', 'id']),
  schema
    .createIndex('clientele_sessions_by_expiry')
    .on('clientele_sessions')
    .columns(['account_id', 'expires_at']),
]
