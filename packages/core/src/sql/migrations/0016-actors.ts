import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Keeps which API key opened a session for a person who acts as the user, and finds those few sessions. */
export const actors: Migration = {
  name: '0016-actors',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_sessions').addColumn('opened_by_key', types.id),
    schema
      .createIndex('clientele_sessions_of_actors')
      .on('clientele_sessions')
      .column('account_id')
      .where(sql.ref('impersonated_by'), 'is not', null),
  ],
}
