import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

const table = 'clientele_trusted_issuers'

/** Lists of audiences, claims of any name, and what signing in with an issuer's ID tokens asks for. */
export const issuerSettings: Migration = {
  name: '0010-issuer-settings',
  up: (queries, { types, jsonArray }) => [
    queries.schema
      .alterTable(table)
      .addColumn('client_id_as_audience', types.flag, (column) =>
        column.notNull().defaultTo(sql`false`),
      ),
    queries.schema
      .alterTable(table)
      .addColumn('user_lookup', 'text', (column) => column.notNull().defaultTo('id')),
    queries.schema
      .alterTable(table)
      .addColumn('sign_in', types.flag, (column) => column.notNull().defaultTo(sql`false`)),
    queries.schema
      .alterTable(table)
      .addColumn('link_by_email', types.flag, (column) => column.notNull().defaultTo(sql`false`)),
    queries.schema
      .alterTable(table)
      .addColumn('nonce', 'text', (column) => column.notNull().defaultTo('required')),
    queries.schema.alterTable(table).addColumn('max_age_seconds', types.counter),
    queries.updateTable(table).set({ audience: jsonArray([sql.ref('audience')]) }),
    queries.updateTable(table).set({ user_lookup: 'email' }).where('user_claim', '=', 'email'),
  ],
}
