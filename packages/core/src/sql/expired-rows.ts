import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Db } from './db.ts'
import { type Database, listTables, type TableWith, tables } from './tables/tables.ts'
import type { Effect } from './write-with-effects.ts'

/** How many of an account's expired rows are cleared away at once, when one is added. */
const clearedAtOnce = 10

/** The tables whose rows expire in an account */
type Expiring = TableWith<{ key: string; expires: 'expires_at'; columns: { account_id: object } }>

export const expiringTables = listTables(
  (table): table is Expiring => 'expires' in tables[table] && 'account_id' in tables[table].columns,
)

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
  const key = sql.ref<string>(tables[table].key)
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
