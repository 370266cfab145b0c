import type { Migration } from '../migration.ts'

/** Keeps when a session's user last showed a password or a second factor; null: when the session was opened. */
export const authenticationTimes: Migration = {
  name: '0006-authentication-times',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_sessions').addColumn('authenticated_at', types.time),
  ],
}
