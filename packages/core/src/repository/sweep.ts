import { sql } from 'kysely'
import type { Db } from '../sql/db.ts'
import { expiringTables } from '../sql/expired-rows.ts'
import { listTables, type TableWith, tables } from '../sql/tables/tables.ts'
import type { StorageStore } from './repository.ts'

/** So many accounts are looked through at once. */
const accountsAtOnce = 500
/** So many rows of a table go at once. */
const rowsAtOnce = 1_000

type ExpiringOfNoAccount = Exclude<
  TableWith<{ expires: 'expires_at' }>,
  (typeof expiringTables)[number]
>

const expiringTablesOfNoAccount = listTables(
  (table): table is ExpiringOfNoAccount =>
    'expires' in tables[table] && !('account_id' in tables[table].columns),
)

/** Looks through the next accounts for what has outlived its time: where nobody writes, nobody else clears away. */
export function createSweep(db: Db): StorageStore['sweep'] {
  const { features } = db
  const order = sql.ref<number>(features.insertionOrder.name)
  const selectAccounts = db.statement<{ afterAccountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .select((of) => [
        'a.id',
        of
          .selectFrom('clientele_events as e')
          .select('e.created_at')
          .whereRef('e.account_id', '=', 'a.id')
          .where('e.position', 'is not', null)
          .orderBy('e.position')
          .limit(sql.lit(1))
          .as('oldestPlacedAt'),
        of
          .selectFrom('clientele_events as e')
          .select('e.created_at')
          .whereRef('e.account_id', '=', 'a.id')
          .where('e.position', 'is', null)
          .orderBy(order)
          .limit(sql.lit(1))
          .as('oldestPendingAt'),
      ])
      .where('a.id', '>', value('afterAccountId'))
      .orderBy('a.id')
      .limit(sql.lit(accountsAtOnce)),
  )
  const deletions = expiringTables.map((table) =>
    db.statement<{ accountIds: string; now: number }>()((queries, value) => {
      const key = sql.ref<string>(tables[table].key)
      const ofAccounts = queries
        .selectFrom(features.textsOfJsonArray(value('accountIds')).as('ids'))
        .select(db.typed(sql.ref<string>('ids.value'), 'id').as('id'))
      const expired = queries
        .selectFrom(table)
        .select(['account_id', key.as('key')])
        .where('account_id', 'in', ofAccounts)
        .where('expires_at', '<=', value('now'))
        .limit(sql.lit(rowsAtOnce))
        // Whoever else clears away at this moment has those rows: nobody waits for it.
        .$if(features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
      return queries
        .deleteFrom(table)
        .where(sql<boolean>`(account_id, ${key}) in (${expired})`)
        .where('expires_at', '<=', value('now'))
    }),
  )

  // They belong to no account.
  const ofNoAccount = expiringTablesOfNoAccount.map((table) =>
    db.statement<{ now: number }>()((queries, value) =>
      queries.deleteFrom(table).where('expires_at', '<=', value('now')),
    ),
  )

  return async (afterAccountId, { now, eventsBefore }) => {
    for (const deletion of ofNoAccount) await db.query(deletion, { now })
    const accounts = await db.query(selectAccounts, { afterAccountId })
    const accountIds = JSON.stringify(accounts.map(({ id }) => id))
    if (accounts.length > 0)
      for (const deletion of deletions) await db.query(deletion, { accountIds, now })
    const aged = accounts.filter(({ oldestPlacedAt, oldestPendingAt }) =>
      [oldestPlacedAt, oldestPendingAt].some((at) => at !== null && at < eventsBefore),
    )
    return {
      agedFeeds: aged.map(({ id }) => id),
      next: accounts.length < accountsAtOnce ? undefined : accounts.at(-1)?.id,
    }
  }
}
