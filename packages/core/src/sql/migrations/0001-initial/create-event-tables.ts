import { sql } from 'kysely'
import type { Migration } from '../../migration.ts'

/** Creates the tables of events, of the end of each account's feed, and of the links between a feed's entries. */
export const createEventTables: Migration['up'] = ({ schema }, { types, insertionOrder }) => [
  schema
    .createTable('clientele_events')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('id', types.id, (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('created_at', types.time, (column) => column.notNull())
    .addColumn('actor_type', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('subject_type', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('person', 'text')
    .addColumn('position', types.counter)
    .addColumn('chain', 'text')
    .addColumn('person_salt', 'text')
    .addPrimaryKeyConstraint('clientele_events_key', ['account_id', 'id'])
    .$call((table) =>
      insertionOrder.type === undefined
        ? table
        : table.addColumn(insertionOrder.name as 'seq', insertionOrder.type as never),
    ),
  schema
    .createIndex('clientele_events_without_position')
    .on('clientele_events')
    .columns(['account_id', ...(insertionOrder.type === undefined ? [] : [insertionOrder.name])])
    .where(sql.ref('position'), 'is', null),
  schema
    .createIndex('clientele_events_by_position')
    .unique()
    .on('clientele_events')
    .columns(['account_id', 'position'])
    .where(sql.ref('position'), 'is not', null),
  schema
    .createIndex('clientele_events_by_subject')
    .on('clientele_events')
    .columns(['account_id', 'subject_id', 'position']),
  // Finds events by a typed address, which may belong to no user.
  schema
    .createIndex('clientele_events_by_typed_email')
    .on('clientele_events')
    .columns(['account_id', 'person'])
    .where(sql<boolean>`type in ('user.login_failed', 'user.password_reset_requested')`),
  // Counts the sign-ins of a day from the index alone.
  schema
    .createIndex('clientele_events_by_sign_in')
    .on('clientele_events')
    .columns(['account_id', 'type', 'created_at'])
    .where(sql<boolean>`type in ('user.logged_in', 'user.login_failed')`),
  schema
    .createTable('clientele_event_feeds')
    .addColumn('account_id', types.id, (column) => column.primaryKey())
    .addColumn('last_position', types.counter, (column) => column.notNull())
    .addColumn('purged_position', types.counter, (column) => column.notNull())
    .addColumn('chain', 'text')
    .addColumn('purged_chain', 'text'),
]
