import type { Migration } from '../migration.ts'

/** Keeps how far a rename of a group has come among the members with its former role. */
export const formerMembers: Migration = {
  name: '0021-former-members',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_scim_groups').addColumn('former_after', types.id),
  ],
}
