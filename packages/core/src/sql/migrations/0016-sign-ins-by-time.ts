import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Counts the sign-ins of a day without reading one of them. */
export const signInsByTime: Migration = {
  name: '0016-sign-ins-by-time',
  up: ({ schema }) => [
    schema
      .createIndex('clientele_events_by_sign_in')
      .on('clientele_events')
      .columns(['account_id', 'type', 'created_at'])
      .where(sql<boolean>`type in ('user.logged_in', 'user.login_failed')`),
  ],
}
