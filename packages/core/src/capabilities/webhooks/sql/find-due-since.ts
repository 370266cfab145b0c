import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { WebhookStore } from '../store.ts'
import { areOfTimes, timeOrder } from './deliveries-by-time.ts'
import { hasEnabledAccount } from './enabled-account.ts'

/** Makes the look-up of the oldest due time over all active endpoints of enabled accounts. */
export function createFindDueSince(db: Db): WebhookStore['findDueSince'] {
  const order = sql.ref(`e.${db.features.insertionOrder.name}`)
  const select = db.statement<{ now: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks as w')
      .select((of) => {
        const events = of
          .selectFrom('clientele_events as e')
          .select('e.created_at')
          .whereRef('e.account_id', '=', 'w.account_id')
          .limit(sql.lit(1))
        const next = events.whereRef('e.position', '>', 'w.position').orderBy('e.position')
        // Committed events without a position.
        const news = events.where('e.position', 'is', null).orderBy(order)
        const pending = of
          .selectFrom('clientele_webhook_deliveries as d')
          .select('d.next_attempt_at')
          .whereRef('d.account_id', '=', 'w.account_id')
          .where(areOfTimes(of.ref('w.id'), { until: value('now') }))
          .orderBy(timeOrder)
          .limit(sql.lit(1))
        return [
          sql<number | null>`min(${next})`.as('next'),
          sql<number | null>`min(${news})`.as('news'),
          sql<number | null>`min(${pending})`.as('pending'),
        ]
      })
      .where('w.is_active', '=', true)
      .where((of) => hasEnabledAccount(of)),
  )
  return async (now) => {
    const [{ next, news, pending } = { next: null, news: null, pending: null }] = await db.query(
      select,
      { now },
    )
    const times = [next, news, pending].filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }
}
