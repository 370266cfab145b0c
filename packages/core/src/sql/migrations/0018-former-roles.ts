import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Keeps the role that a group had before it was renamed, until no member has that any more. */
export const formerRoles: Migration = {
  name: '0018-former-roles',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_scim_groups').addColumn('former_role', types.sortedText),
    schema
      .createIndex('clientele_scim_groups_by_former_role')
      .on('clientele_scim_groups')
      .columns(['account_id', 'former_role'])
      .where(sql.ref('former_role'), 'is not', null),
  ],
}
