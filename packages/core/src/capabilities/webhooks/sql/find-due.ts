import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { WebhookStore } from '../store.ts'
import { areOfTimes, timeOrder } from './deliveries-by-time.ts'
import { type DueTimes, dueTimesOf, isFree } from './due-times.ts'
import { hasEnabledAccount } from './enabled-account.ts'
import { hasFurtherEvents, wantedEvents } from './wanted-events.ts'

/** Makes the look-up of endpoints with due deliveries and without a lease, in all enabled accounts. */
export function createFindDue(db: Db): WebhookStore['findDue'] {
  const createSelect = ({ isFailing, isOfSome }: { isFailing: boolean; isOfSome: boolean }) =>
    db.statement<{ limit: number; accountIds: string } & DueTimes>()((queries, value) =>
      queries
        .selectFrom('clientele_webhooks as w')
        .select(['w.account_id as accountId', 'w.id'])
        .$if(isOfSome, (query) =>
          query.where('w.account_id', 'in', idsInJson(db.features, value('accountIds'))),
        )
        .where((of) => isFree(of.ref('w.lease_until'), value))
        .where((of) => hasEnabledAccount(of))
        .where('w.failing_since', isFailing ? 'is not' : 'is', null)
        .where((of) => {
          const isActive = of('w.is_active', '=', true)
          const hasNews = of.or([of.exists(wantedEvents(db, of)), hasFurtherEvents(of)])
          const pending = of
            .selectFrom('clientele_webhook_deliveries as d')
            .select('d.event_id')
            .whereRef('d.account_id', '=', 'w.account_id')
          // Two ranges of the index: with one condition for both, all that wait would be read.
          const ranges = [{ until: value('now') }, { after: value('latestAttempt') }]
          const isAnyDue = (those: typeof pending) =>
            of.or(
              ranges.map((range) => {
                const due = those.where(areOfTimes(of.ref('w.id'), range))
                // No EXISTS: PostgreSQL drops the order of it.
                return of(due.orderBy(timeOrder).limit(sql.lit(1)), 'is not', null)
              }),
            )
          // While it is off, an endpoint gets tests only. They have an index: any number of deliveries may wait.
          const tests = pending.where('d.payload', 'is not', null)
          return of.or([of.and([isActive, of.or([hasNews, isAnyDue(pending)])]), isAnyDue(tests)])
        })
        .orderBy('w.lease_until')
        .limit(value('limit')),
    )
  const ofAll = {
    healthy: createSelect({ isFailing: false, isOfSome: false }),
    failing: createSelect({ isFailing: true, isOfSome: false }),
  }
  const ofSome = {
    healthy: createSelect({ isFailing: false, isOfSome: true }),
    failing: createSelect({ isFailing: true, isOfSome: true }),
  }
  return (now, { isFailing, limit, accountIds }) => {
    const statements = accountIds === undefined ? ofAll : ofSome
    return db.query(isFailing ? statements.failing : statements.healthy, {
      ...dueTimesOf(now),
      limit,
      accountIds: toIdsJson(accountIds ?? []),
    })
  }
}
