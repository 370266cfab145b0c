import type { Migration } from '../migration.ts'

/** Keeps when another password last ended the JWTs that a user's own token was exchanged for; null: never. */
export const exchangedTokens: Migration = {
  name: '0015-exchanged-tokens',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_user_tokens').addColumn('jwts_not_before', types.time),
  ],
}
