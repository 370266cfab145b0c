import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'

type OfWebhook = ExpressionBuilder<Database & { w: Database['clientele_webhooks'] }, 'w'>

/** The events after the position of the endpoint `w` that match its types. */
export function wantedEvents(db: Db, of: OfWebhook) {
  return of
    .selectFrom('clientele_events as e')
    .select('e.id')
    .whereRef('e.account_id', '=', 'w.account_id')
    .whereRef('e.position', '>', 'w.position')
    .where((event) =>
      event.exists(
        event
          .selectFrom(db.features.textsOfJsonArray(sql.ref('w.types')).as('t'))
          .select('t.value')
          .where(isTypeOf),
      ),
    )
}

/** Whether a pattern matches an event type: `user.created`, `user.*` or `*`. See `listTypes`. */
const isTypeOf = sql<boolean>`(t.value = e.type or (substr(t.value, length(t.value)) = '*'
  and substr(e.type, 1, length(t.value) - 1) = substr(t.value, 1, length(t.value) - 1)))`
