import type { Migration } from '../migration.ts'

/** Keeps the session that began the enrolment of a passkey, which ends with it. */
export const ceremonySessions: Migration = {
  name: '0002-ceremony-sessions',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_passkey_ceremonies').addColumn('session_id', types.id),
  ],
}
