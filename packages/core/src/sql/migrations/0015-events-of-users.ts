import type { Migration } from '../migration.ts'

/** The events about a user in the order of the feed: a long history is gone through a part at a time. */
export const eventsOfUsers: Migration = {
  name: '0015-events-of-users',
  up: ({ schema }) => [
    schema.dropIndex('clientele_events_by_subject'),
    schema
      .createIndex('clientele_events_by_subject')
      .on('clientele_events')
      .columns(['account_id', 'subject_id', 'position']),
  ],
}
