import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * A session keeps the hash of its latest refresh token alone, and how many there were. Those that were open before end.
 * And what has expired is found by the time at which it did.
 */
export const sessionTokens: Migration = {
  name: '0016-session-tokens',
  up: (queries, { types }) => {
    const { schema } = queries
    const none = sql.lit(0)
    return [
      schema.dropTable('clientele_refresh_tokens'),
      queries.deleteFrom('clientele_sessions'),
      schema
        .alterTable('clientele_sessions')
        .addColumn('refresh_token_hash', 'text', (column) => column.notNull().defaultTo('')),
      schema.alterTable('clientele_sessions').addColumn('refreshed_at', types.time),
      ...(['refreshes', 'window_refreshes'] as const).map((name) =>
        schema
          .alterTable('clientele_sessions')
          .addColumn(name, types.counter, (column) => column.notNull().defaultTo(none)),
      ),
      schema
        .alterTable('clientele_sessions')
        .addColumn('window_ends_at', types.time, (column) => column.notNull().defaultTo(none)),
      ...(['sessions', 'challenges', 'mailed_tokens'] as const).map((name) =>
        schema
          .createIndex(`clientele_${name}_by_expiry`)
          .on(`clientele_${name}`)
          .columns(['account_id', 'expires_at']),
      ),
    ]
  },
}
