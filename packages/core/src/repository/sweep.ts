import { type Expression, sql } from 'kysely'
import { lowestId } from '../base/input/id.ts'
import { latestEnd } from '../base/runtime/latest-end.ts'
import type { Db } from '../sql/db.ts'
import { repeatInParts } from '../sql/repeat-in-parts.ts'
import type { Table } from '../sql/tables/column.ts'
import { listTables, type TableWith, tables } from '../sql/tables/tables.ts'
import { writeByAccount } from '../sql/write-by-account.ts'
import type { StorageStore } from './repository.ts'

const accountsAtOnce = 500

type Expiring = TableWith<{ key: string; expires: string | object }>

const expiringTables = listTables((table): table is Expiring => 'expires' in tables[table])

/** How many rows one statement deletes: on SQLite all other work waits for it, and a row may have 30 KB. */
const rowsAtOnce = (db: Db): number => (db.features.isInProcess ? 100 : 1_000)

/** Deletes the expired rows of a page of accounts until none is left. */
export function createSweep(db: Db): StorageStore['sweep'] {
  const selectAccounts = createSelectAccounts(db)
  const partRows = rowsAtOnce(db)
  const isOfAccounts = (table: Expiring) => 'account_id' in tables[table].columns
  const ofNoAccount = expiringTables
    .filter((table) => !isOfAccounts(table))
    .map((table) => createDeletion(db, table))
  const ofAccounts = expiringTables
    .filter(isOfAccounts)
    .map((table) => createDeletionByAccount(db, table))

  return async (afterAccountId, { now, eventsBefore }) => {
    for (const deletion of ofNoAccount)
      await repeatInParts(db, partRows, async () => (await db.query(deletion, { now })).length)
    const accounts = await db.query(selectAccounts, { afterAccountId })
    const isLast = accounts.length < accountsAtOnce
    const ids = accounts.map(({ id }) => id)
    // Attempts to open a console are counted under an id that no account has.
    const accountIds = JSON.stringify(isLast ? [...ids, lowestId] : ids)
    for (const deleteSome of ofAccounts)
      await repeatInParts(db, partRows, () => deleteSome(accountIds, now))
    const aged = accounts.filter(({ oldestPlacedAt, oldestPendingAt }) =>
      [oldestPlacedAt, oldestPendingAt].some(
        // An event of the future, of a clock that was ahead, does not tell the age of those behind it.
        (at) => at !== null && (at < eventsBefore || at > latestEnd(now, 0)),
      ),
    )
    return {
      agedFeeds: aged.map(({ id }) => id),
      next: isLast ? undefined : accounts.at(-1)?.id,
    }
  }
}

function millisecondsOf({ seconds }: { seconds: string | number }) {
  return typeof seconds === 'string'
    ? sql<number>`${sql.ref(seconds)} * 1000`
    : sql.lit(seconds * 1000)
}

/** Whether a row of a table has expired */
function expiryOf(table: Expiring, now: Expression<number>) {
  const { expires } = tables[table]
  const expiry =
    typeof expires === 'string'
      ? sql.ref<number>(expires)
      : sql<number>`${sql.ref(expires.after)} + ${millisecondsOf(expires)}`
  return sql<boolean>`${expiry} <= ${now}`
}

/** Deletes some expired rows of a table that has no accounts. */
function createDeletion(db: Db, table: Expiring) {
  const key = sql.ref<string>(tables[table].key)
  return db.statement<{ now: number }>()((queries, value) => {
    const isOver = expiryOf(table, value('now'))
    const expired = queries
      .selectFrom(table)
      .select(key.as('key'))
      .where(isOver)
      .limit(sql.lit(rowsAtOnce(db)))
      // Rows that another process is deleting are skipped.
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
    return queries
      .deleteFrom(table)
      .where(sql<boolean>`${key} in (${expired})`)
      .returning(sql.lit(1).as('deleted'))
  })
}

/** Finds some expired rows of these accounts without a lock, and then deletes as many account by account. */
function createDeletionByAccount(db: Db, table: Expiring) {
  const { within, key = '' }: Table = tables[table]
  // In the order of the primary key: by the last column alone, each row would be searched for among all that have expired.
  const names = within === undefined ? [key] : [within, key]
  const keys = sql.join(names.map((name) => sql.ref(name)))
  const { features } = db
  const find = db.statement<{ accountIds: string; now: number }>()((queries, value) => {
    const ofAccounts = queries
      .selectFrom(features.textsOfJsonArray(value('accountIds')).as('ids'))
      .select(db.typed(sql.ref<string>('ids.value'), 'id').as('id'))
    const { expires } = tables[table]
    const order = typeof expires === 'string' ? ['account_id', expires] : ['account_id']
    return (
      queries
        .selectFrom(table)
        .select(sql.ref<string>('account_id').as('accountId'))
        .where(features.isAmong(sql.ref('account_id'), ofAccounts))
        .where(expiryOf(table, value('now')))
        // The order of the index. Without it, PostgreSQL may expect many expired rows, and read the whole table for a few.
        .$if(!features.isInProcess, (query) =>
          query.orderBy(sql.join(order.map((name) => sql.ref(name)))),
        )
        .limit(sql.lit(rowsAtOnce(db)))
    )
  })
  const deleteSome = db.statement<{ accountId: string; now: number; rows: number }>()(
    (queries, value) => {
      const isOfAccount = sql<boolean>`${sql.ref('account_id')} = ${value('accountId')}`
      const isOver = expiryOf(table, value('now'))
      const expired = queries
        .selectFrom(table)
        .select(names.map((name) => sql.ref(name).as(name)))
        .where(isOfAccount)
        .where(isOver)
        .limit(value('rows'))
        // Rows that another process is deleting are skipped.
        .$if(features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
      return (
        queries
          .deleteFrom(table)
          .where(isOfAccount)
          .where(sql<boolean>`(${keys}) in (${expired})`)
          // Checked again, for a row that was renewed while this waited for its lock. SQLite would look at all that have
          // expired.
          .$if(features.hasConcurrentWriters, (query) => query.where(isOver))
          .returning(sql.lit(1).as('deleted'))
      )
    },
  )

  return async (accountIds: string, now: number): Promise<number> => {
    const found = await db.query(find, { accountIds, now })
    return writeByAccount(db, deleteSome, found, (accountId, { length: rows }) => ({
      accountId,
      now,
      rows,
    }))
  }
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
