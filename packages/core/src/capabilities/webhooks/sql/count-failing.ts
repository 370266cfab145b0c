import type { Db } from '../../../sql/db.ts'
import type { WebhookStore } from '../store.ts'

/** Makes the count of the active endpoints whose last deliveries have failed, of all accounts. */
export function createCountFailing(db: Db): WebhookStore['countFailing'] {
  const select = db.statement<object>()((queries) =>
    queries
      .selectFrom('clientele_webhooks as w')
      .select((of) => [
        of.fn.countAll<number | string>().as('failing'),
        of.fn.min<number | null>('w.failing_since').as('since'),
      ])
      .where('w.is_active', '=', true)
      .where('w.failing_since', 'is not', null),
  )
  return async () => {
    const [row] = await db.query(select, {})
    return { count: Number(row?.failing ?? 0), since: row?.since ?? null }
  }
}
