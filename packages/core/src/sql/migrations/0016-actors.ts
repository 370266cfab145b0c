import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Finds the few sessions in which a person acts as the user. */
export const actors: Migration = {
  name: '0016-actors',
  up: ({ schema }) => [
    schema
      .createIndex('clientele_sessions_of_actors')
      .on('clientele_sessions')
      .column('account_id')
      .where(sql.ref('impersonated_by'), 'is not', null),
  ],
}
