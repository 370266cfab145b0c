import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy, type DatabaseWithChanged } from '../../../sql/effects.ts'
import { type TableWith, tables } from '../../../sql/tables/tables.ts'

/** A table with rows of users, and a key of one column */
export type KeyedTable = TableWith<{ key: string; endsWithPassword: true }>

/**
 * Deletes rows of the changed user. Their keys are read first, from the index by user: SQLite does not know how few
 * there are and would otherwise scan those of the whole account.
 *
 * @param user the column of the changed rows that has the user's id
 */
export function deleteOfChanged<Changed>(
  db: Db,
  table: KeyedTable,
  queries: QueryCreator<DatabaseWithChanged<Changed>>,
  accountId: Expression<string>,
  user: 'id' | 'user_id' = 'id',
) {
  const key = sql.ref<string>(tables[table].key)
  // Whatever the write returns, `user` is among it.
  const known = queries as unknown as QueryCreator<
    DatabaseWithChanged<{ [Name in typeof user]: string }>
  >
  return known
    .deleteFrom(table)
    .where('account_id', '=', accountId)
    .where(key, 'in', (of) =>
      of
        .selectFrom(table)
        .select(key.as('key'))
        .where('account_id', '=', accountId)
        .where('user_id', changedBy(db), (changed) => changed.selectFrom('changed').select(user)),
    )
}
