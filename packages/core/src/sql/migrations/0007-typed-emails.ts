import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Finds events by the address that somebody typed, which is nobody's or was somebody's once. */
export const typedEmails: Migration = {
  name: '0007-typed-emails',
  up: ({ schema }) => [
    schema
      .createIndex('clientele_events_by_typed_email')
      .on('clientele_events')
      .columns(['account_id', 'person'])
      .where(sql<boolean>`type in ('user.login_failed', 'user.password_reset_requested')`),
  ],
}
