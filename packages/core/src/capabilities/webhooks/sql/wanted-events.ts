import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'

type OfWebhook = ExpressionBuilder<Database & { w: Database['clientele_webhooks'] }, 'w'>

/**
 * How many events per endpoint a search over all accounts reads. An endpoint that is further behind counts as due, and
 * its own turn reads the rest: so no account's backlog delays the search.
 */
export const searchedEvents = 100

const searchedEnd = sql<number>`${sql.ref('w.position')} + ${sql.lit(searchedEvents)}`

/** The next events of the endpoint `w` that match its types. */
export function wantedEvents(db: Db, of: OfWebhook) {
  return of
    .selectFrom('clientele_events as e')
    .select('e.id')
    .whereRef('e.account_id', '=', 'w.account_id')
    .whereRef('e.position', '>', 'w.position')
    .where('e.position', '<=', searchedEnd)
    .where(isOfTypes(db))
}

/** Whether the feed has further events after those next events of the endpoint `w`. */
export function hasFurtherEvents(of: OfWebhook) {
  return of.exists(
    of
      .selectFrom('clientele_event_feeds as f')
      .select('f.account_id')
      .whereRef('f.account_id', '=', 'w.account_id')
      .where('f.last_position', '>', searchedEnd),
  )
}

/**
 * Whether the patterns of the endpoint `w` match the type of the event `e`: `user.created` is matched by itself, `user.*`
 * and `*`. The list of patterns is searched as text: to read it as JSON for each event takes six times as long.
 */
function isOfTypes({ features }: Db) {
  const type = sql<string>`e.type`
  const dot = features.indexOf(type, sql.lit('.'))
  const patterns = [
    sql<string>`'"*"'`,
    sql<string>`'"' || ${type} || '"'`,
    sql<string>`'"' || substr(${type}, 1, ${dot}) || '*"'`,
  ]
  const types = sql<string>`cast(w.types as text)`
  return sql<boolean>`(${sql.join(
    patterns.map((pattern) => sql`${features.indexOf(types, pattern)} > 0`),
    sql` or `,
  )})`
}
