import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Events, and how far each account's feed has come. */
export const events: Migration = {
  name: '0003-events',
  up: ({ schema }, { types, insertionOrder, uncountedId }) => [
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
      .addPrimaryKeyConstraint('clientele_events_key', ['account_id', 'id'])
      .$call((table) =>
        insertionOrder.type === undefined
          ? table
          : table.addColumn(insertionOrder.name as 'seq', insertionOrder.type as never),
      ),
    // As for other tables that grow with an account's use: see 0002-uncounted-accounts.
    ...(uncountedId === undefined
      ? []
      : [
          schema
            .alterTable('clientele_events')
            .alterColumn('account_id', (column) => column.setDataType(uncountedId)),
        ]),
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
      .columns(['account_id', 'subject_id']),
    schema
      .createTable('clientele_event_feeds')
      .addColumn('account_id', types.id, (column) => column.primaryKey())
      .addColumn('last_position', types.counter, (column) => column.notNull())
      .addColumn('purged_position', types.counter, (column) => column.notNull()),
  ],
}
