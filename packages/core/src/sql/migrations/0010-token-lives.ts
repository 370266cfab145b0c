import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** How long the tokens of a key live: a key that was there before is kept for a day once it is retired. */
export const tokenLives: Migration = {
  name: '0010-token-lives',
  up: ({ schema }, { types }) => [
    schema
      .alterTable('clientele_signing_keys')
      .addColumn('token_life_seconds', types.counter, (column) =>
        column.notNull().defaultTo(sql.lit(86_400)),
      ),
  ],
}
