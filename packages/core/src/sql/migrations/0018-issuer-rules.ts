import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** How long a token of an issuer may live, and whether an e-mail that it does not call verified names a user. */
export const issuerRules: Migration = {
  name: '0018-issuer-rules',
  up: ({ schema }, { types }) => [
    schema
      .alterTable('clientele_trusted_issuers')
      .addColumn('max_lifetime_seconds', types.counter, (column) =>
        column.notNull().defaultTo(sql.lit(86_400)),
      ),
    schema
      .alterTable('clientele_trusted_issuers')
      .addColumn('trust_unverified_email', types.flag, (column) =>
        column.notNull().defaultTo(sql.lit(false)),
      ),
  ],
}
