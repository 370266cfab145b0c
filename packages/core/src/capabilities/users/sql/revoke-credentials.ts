import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { listTables, type TableWith, tables } from '../../../sql/tables/tables.ts'
import {
  changedBy,
  type DatabaseWithChanged,
  type Effect,
} from '../../../sql/write-with-effects.ts'

interface Revocation {
  accountId: string
  /** The session that goes on; null: none does */
  keepSessionId: string | null
}

/**
 * What ends when a user gets another password or is shut out: sessions, sign-ins that wait for an MFA factor,
 * passkeys that are being enrolled, and whatever was mailed. What was asked for before gives nobody a way past what is decided now.
 *
 * The tokens of a session are refused with it. Those of other issuers are refused by `tokens_not_before`, which the
 * change itself sets. A deletion needs none of this: all that belongs to a user goes with its row, by foreign keys.
 *
 * Whoever uses these effects reads `changed` as of the latest moment (`seesLatest`): a sign-in that had the user's row
 * before the change has opened a session meanwhile.
 */
export function revokeCredentials(db: Db): Effect<Revocation>[] {
  return endingTables.map((table) => (queries, value) => {
    const ended = deleteOfChanged(db, table, queries, value('accountId'))
    return table === 'clientele_sessions'
      ? ended.where(sql.ref('id'), 'is distinct from', db.typed(value('keepSessionId'), 'id'))
      : ended
  })
}

type Ending = TableWith<{ key: string; endsWithPassword: true }>

const endingTables = listTables((table): table is Ending => 'endsWithPassword' in tables[table])

/**
 * Deletes the rows of the changed user. Their keys are read first, from the index by user: asked for the rows themselves,
 * SQLite walks through those of the whole account, since it does not know how many there are.
 */
function deleteOfChanged(
  db: Db,
  table: Ending,
  queries: QueryCreator<DatabaseWithChanged>,
  accountId: Expression<string>,
) {
  const key = sql.ref<string>(tables[table].key)
  return queries
    .deleteFrom(table)
    .where('account_id', '=', accountId)
    .where(key, 'in', (of) =>
      of
        .selectFrom(table)
        .select(key.as('key'))
        .where('account_id', '=', accountId)
        .where('user_id', changedBy(db), (user) => user.selectFrom('changed').select('id')),
    )
}
