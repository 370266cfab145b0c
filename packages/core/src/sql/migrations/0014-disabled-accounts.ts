import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Since when an account's keys and tokens are refused, and what else an import counts. */
export const disabledAccounts: Migration = {
  name: '0014-disabled-accounts',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_accounts').addColumn('disabled_at', types.time),
    ...['updated', 'conflicts', 'without_password'].map((name) =>
      schema
        .alterTable('clientele_imports')
        .addColumn(name, types.counter, (column) => column.notNull().defaultTo(sql.lit(0))),
    ),
  ],
}
