import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Db } from './db.ts'
import type { Effect } from './write-with-effects.ts'

/** How many of an account's expired rows are cleared away at once, when one is added. */
const clearedAtOnce = 10

/** The tables whose rows expire, with what names a row of an account. */
const keyOf = {
  clientele_sessions: 'id',
  clientele_challenges: 'hash',
  clientele_email_tokens: 'hash',
  clientele_passkey_ceremonies: 'hash',
  clientele_rate_limits: 'key',
  clientele_replies: 'key',
  clientele_used_id_tokens: 'digest',
} as const

type Expiring = keyof typeof keyOf
export const expiringTables = Object.entries(keyOf) as [Expiring, string][] // its own keys

/**
 * Deletes some of an account's expired rows: those who never come back leave theirs behind. With every row that is
 * added so many go that the table stays as large as its use.
 */
export function deleteExpired(
  queries: QueryCreator<Database>,
  db: Db,
  table: Expiring,
  accountId: Expression<string>,
  now: Expression<number>,
) {
  const key = sql.ref<string>(keyOf[table])
  return (
    queries
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      // Again, for a row that was renewed while this waited for it
      .where('expires_at', '<=', now)
      .where(key, 'in', (of) =>
        of
          .selectFrom(table)
          .select(key.as('key'))
          .where('account_id', '=', accountId)
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(clearedAtOnce)
          // Whoever else clears away at this moment has those rows: nobody waits for it.
          .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked()),
      )
  )
}

/** The same as an effect of the write that adds a row. */
export function clearExpired(db: Db, table: Expiring): Effect<{ accountId: string; now: number }> {
  return (queries, value) =>
    deleteExpired(queries as never, db, table, value('accountId'), value('now')) // the same tables and one more
}
