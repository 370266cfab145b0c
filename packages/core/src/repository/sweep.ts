import { sql } from 'kysely'
import type { Db } from '../sql/db.ts'
import { listTables, type TableWith, tables } from '../sql/tables/tables.ts'
import type { StorageStore } from './repository.ts'

const accountsAtOnce = 500
const rowsAtOnce = 1_000

interface DeletionValues {
  /** JSON */
  accountIds: string
  now: number
}

type Expiring = TableWith<{ key: string; expires: string | object }>

const expiringTables = listTables((table): table is Expiring => 'expires' in tables[table])

/** Deletes the expired rows of a page of accounts until none is left. */
export function createSweep(db: Db): StorageStore['sweep'] {
  const selectAccounts = createSelectAccounts(db)
  const deletions = expiringTables.map((table) => ({
    isOfAccount: 'account_id' in tables[table].columns,
    statement: createDeletion(db, table),
  }))

  async function deleteAll(isOfAccount: boolean, input: DeletionValues): Promise<void> {
    for (const { statement } of deletions.filter((each) => each.isOfAccount === isOfAccount)) {
      while ((await db.query(statement, input)).length === rowsAtOnce) {
        // Other requests are answered first.
        await new Promise(setImmediate)
      }
    }
  }

  return async (afterAccountId, { now, eventsBefore }) => {
    await deleteAll(false, { accountIds: '[]', now })
    const accounts = await db.query(selectAccounts, { afterAccountId })
    const accountIds = JSON.stringify(accounts.map(({ id }) => id))
    if (accounts.length > 0) await deleteAll(true, { accountIds, now })
    const aged = accounts.filter(({ oldestPlacedAt, oldestPendingAt }) =>
      [oldestPlacedAt, oldestPendingAt].some((at) => at !== null && at < eventsBefore),
    )
    return {
      agedFeeds: aged.map(({ id }) => id),
      next: accounts.length < accountsAtOnce ? undefined : accounts.at(-1)?.id,
    }
  }
}

/** Deletes some expired rows of a table, by account if the table has an account id. */
function createDeletion(db: Db, table: Expiring) {
  const { key, expires, columns } = tables[table]
  const expiry =
    typeof expires === 'string'
      ? sql.ref<number>(expires)
      : sql<number>`${sql.ref(expires.after)} + ${sql.ref(expires.seconds)} * 1000`
  const names = 'account_id' in columns ? ['account_id', key] : [key]
  const { features } = db
  return db.statement<DeletionValues>()((queries, value) => {
    const isOver = sql<boolean>`${expiry} <= ${value('now')}`
    const ofAccounts = queries
      .selectFrom(features.textsOfJsonArray(value('accountIds')).as('ids'))
      .select(db.typed(sql.ref<string>('ids.value'), 'id').as('id'))
    const expired = queries
      .selectFrom(table)
      .select(names.map((name) => sql.ref<string>(name).as(name)))
      .$if('account_id' in columns, (rows) =>
        rows.where(sql<boolean>`account_id in (${ofAccounts})`),
      )
      .where(isOver)
      .limit(sql.lit(rowsAtOnce))
      // Rows that another process is deleting are skipped.
      .$if(features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
    return (
      queries
        .deleteFrom(table)
        .where(sql<boolean>`(${sql.join(names.map((name) => sql.ref(name)))}) in (${expired})`)
        // Checked again, for a row that was renewed while this waited for its lock
        .where(isOver)
        .returning(sql.lit(1).as('deleted'))
    )
  })
}

/** The next accounts, with the time of their oldest event */
function createSelectAccounts(db: Db) {
  const order = sql.ref<number>(db.features.insertionOrder.name)
  return db.statement<{ afterAccountId: string }>()((queries, value) =>
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
}
