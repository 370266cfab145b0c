import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * Keeps events without a position out of the choice of the index of subjects: PostgreSQL would take it once their own index
 * has been large, and read all events of the account for each look at what is new.
 */
export const subjectIndex: Migration = {
  name: '0022-subject-index',
  up: ({ schema }) => [
    schema.dropIndex('clientele_events_by_subject').ifExists(),
    schema
      .createIndex('clientele_events_of_subject')
      .on('clientele_events')
      .columns(['account_id', 'subject_id', 'position'])
      .where(sql.ref('subject_id'), 'is not', null),
  ],
}
