import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { WebhookStore } from '../store.ts'

/** How many events one search looks at; deliverers that are so late find the others in their accounts' turns. */
const writtenAtOnce = 100_000
/** The same for deliveries that became due */
const dueAtOnce = 100_000
/**
 * Deliveries that became due before are left to the turns of their accounts, in milliseconds: those of endpoints that are off
 * stay due, and would be found each time.
 */
const dueSinceMs = 60_000

/** Makes the look-ups of accounts with endpoints that cost what was written, and not what there is. */
export function createFindNews(
  db: Db,
): Pick<WebhookStore, 'hasMoreThan' | 'listAccounts' | 'findNews'> {
  return { hasMoreThan: hasMoreThan(db), listAccounts: listAccounts(db), findNews: findNews(db) }
}

function hasMoreThan(db: Db): WebhookStore['hasMoreThan'] {
  const selectOne = db.statement<{ count: number }>()((queries, value) =>
    queries.selectFrom('clientele_webhooks').select('id').limit(sql.lit(1)).offset(value('count')),
  )

  return async (count) => (await db.query(selectOne, { count })).length > 0
}

function listAccounts(db: Db): WebhookStore['listAccounts'] {
  const selectNext = db.statement<{ after: string; limit: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks')
      .select('account_id')
      .distinct()
      .where('account_id', '>', value('after'))
      .orderBy('account_id')
      .limit(value('limit')),
  )

  return async (after, limit) =>
    (await db.query(selectNext, { after, limit })).map(({ account_id }) => account_id)
}

function findNews(db: Db): WebhookStore['findNews'] {
  const number = sql.ref<number>(db.features.insertionOrder.name)
  const selectEnd = db.statement<object>()((queries) =>
    queries
      .selectFrom('clientele_events')
      .select(sql<number>`coalesce(max(${number}), 0)`.as('end')),
  )
  const selectWritten = db.statement<{ after: number }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select('account_id')
          .where(number, '>', value('after'))
          // In this order: SQLite would read an index of all events by their accounts.
          .orderBy(number)
          .limit(sql.lit(writtenAtOnce))
          .as('e'),
      )
      // Citus takes no EXISTS behind a limit.
      .innerJoin('clientele_webhooks as w', 'w.account_id', 'e.account_id')
      .select('e.account_id')
      .distinct(),
  )
  const selectDue = db.statement<{ since: number; now: number }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_webhook_deliveries')
          .select('account_id')
          .where('next_attempt_at', '>', value('since'))
          .where('next_attempt_at', '<=', value('now'))
          // So of each row: as the condition of the index of all.
          .where('attempts', '>=', sql.lit(0))
          .orderBy('next_attempt_at')
          .limit(sql.lit(dueAtOnce))
          .as('d'),
      )
      .select('d.account_id')
      .distinct(),
  )

  return async (after, now) => {
    const [{ end } = { end: 0 }] = await db.query(selectEnd, {})
    const written = after === undefined ? [] : await db.query(selectWritten, { after })
    const due = await db.query(selectDue, { since: now - dueSinceMs, now })
    return { end, accountIds: [...new Set([...written, ...due].map((row) => row.account_id))] }
  }
}
