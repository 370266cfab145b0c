import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * Gives accounts a slug, an id of the host's and metadata, and finds users by their address over all accounts.
 *
 * Names are unique over all accounts. Tables that are distributed by account cannot have such a key, so names have a
 * table that is not distributed. Its column is not `account_id`, by which `migrate` would distribute it.
 */
export const accountNames: Migration = {
  name: '0005-account-names',
  up: ({ schema }, { types, keyedTable }) => [
    schema.alterTable('clientele_accounts').addColumn('slug', 'text'),
    schema.alterTable('clientele_accounts').addColumn('external_id', 'text'),
    schema
      .alterTable('clientele_accounts')
      .addColumn('metadata', types.json, (column) => column.notNull().defaultTo(sql.lit('{}'))),
    schema
      .createTable('clientele_account_names')
      .addColumn('kind', types.sortedText, (column) => column.notNull())
      .addColumn('name', types.sortedText, (column) => column.notNull())
      .addColumn('owner_id', types.id, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_account_names_key', ['kind', 'name'])
      .modifyEnd(keyedTable),
    schema
      .createIndex('clientele_account_names_by_owner')
      .unique()
      .on('clientele_account_names')
      .columns(['owner_id', 'kind']),
    schema
      .createIndex('clientele_users_by_email_anywhere')
      .on('clientele_users')
      .columns(['email', 'account_id']),
  ],
}
