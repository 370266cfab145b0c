import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { WebhookStore } from '../store.ts'
import { wantedEvents } from './wanted-events.ts'

/** How many endpoints one statement moves at most. */
const passedAtOnce = 1_000

/**
 * Makes the function that moves endpoints past events that they do not want. Without it ten endpoints that each want
 * one of ten events would all be leased for each event.
 */
export function createPassOver(db: Db): WebhookStore['passOver'] {
  const moveOn = db.statement<{ now: number }>()((queries, value) =>
    queries
      .updateTable('clientele_webhooks')
      .from((of) =>
        of
          .selectFrom('clientele_webhooks as w')
          .select(['w.account_id as passed_account_id', 'w.id as passed_id'])
          .select((each) =>
            each
              .selectFrom('clientele_event_feeds as f')
              .select('f.last_position')
              .whereRef('f.account_id', '=', 'w.account_id')
              .as('last_position'),
          )
          .where('w.is_active', '=', true)
          .where('w.lease_until', '<=', value('now'))
          .where((each) =>
            each.exists(
              each
                .selectFrom('clientele_event_feeds as f')
                .select('f.account_id')
                .whereRef('f.account_id', '=', 'w.account_id')
                .whereRef('f.last_position', '>', 'w.position'),
            ),
          )
          .where((each) => each.not(each.exists(wantedEvents(db, each))))
          .limit(sql.lit(passedAtOnce))
          // A process that has leased one of them moves it by itself.
          .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate().skipLocked())
          .as('passed'),
      )
      .set((of) => ({ position: of.ref('passed.last_position').$notNull() }))
      .whereRef('clientele_webhooks.account_id', '=', 'passed.passed_account_id')
      .whereRef('clientele_webhooks.id', '=', 'passed.passed_id'),
  )
  return async (now) => {
    await db.query(moveOn, { now })
  }
}
