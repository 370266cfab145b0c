import type { Migration } from '../migration.ts'

/** Keeps which event last changed a user's second factors; null: none since this step. */
export const factorChanges: Migration = {
  name: '0019-factor-changes',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_mfa_factors').addColumn('changed_by', types.id),
  ],
}
