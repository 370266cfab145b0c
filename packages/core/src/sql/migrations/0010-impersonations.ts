import type { Migration } from '../migration.ts'

/** Keeps who acts as the user of a session; null: the user. */
export const impersonations: Migration = {
  name: '0010-impersonations',
  up: ({ schema }) => [
    schema.alterTable('clientele_sessions').addColumn('impersonated_by', 'text'),
  ],
}
