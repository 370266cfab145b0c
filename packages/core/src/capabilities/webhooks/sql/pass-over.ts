import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { writeByAccount } from '../../../sql/write-by-account.ts'
import type { WebhookStore } from '../store.ts'
import { type DueTimes, dueTimesOf, isFree } from './due-times.ts'
import { hasEnabledAccount } from './enabled-account.ts'
import { searchedEvents, wantedEvents } from './wanted-events.ts'

/** How many endpoints one search finds at most. */
const passedAtOnce = 500

/**
 * Makes the function that moves endpoints past events that they do not want. Without it ten endpoints that each want
 * one of ten events would all be leased for each event.
 */
export function createPassOver(db: Db): WebhookStore['passOver'] {
  const selectPassed = {
    ofAll: createSelectPassed(db, false),
    ofSome: createSelectPassed(db, true),
  }
  const moveOn = createMoveOn(db)

  return async (now, accountIds) => {
    const times = dueTimesOf(now)
    const statement = accountIds === undefined ? selectPassed.ofAll : selectPassed.ofSome
    const input = { ...times, accountIds: toIdsJson(accountIds ?? []) }
    const passed = await db.query(statement, input)
    await writeByAccount(db, moveOn, passed, (accountId, ofAccount) => ({
      accountId,
      ...times,
      passed: JSON.stringify(ofAccount),
    }))
  }
}

/** The endpoints that want none of the few events up to the ends of their feeds, and these ends */
function createSelectPassed(db: Db, isOfSome: boolean) {
  return db.statement<DueTimes & { accountIds: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks as w')
      .$if(isOfSome, (query) =>
        query.where('w.account_id', 'in', idsInJson(db.features, value('accountIds'))),
      )
      .innerJoin('clientele_event_feeds as f', 'f.account_id', 'w.account_id')
      .select(['w.account_id as accountId', 'w.id', 'w.position as from_position'])
      .select(['w.updated_at', 'f.last_position as to_position'])
      .where('w.is_active', '=', true)
      .where((each) => isFree(each.ref('w.lease_until'), value))
      .whereRef('f.last_position', '>', 'w.position')
      // The turn of an endpoint moves it further.
      .where('f.last_position', '<=', sql<number>`w.position + ${sql.lit(searchedEvents)}`)
      .where((each) => hasEnabledAccount(each as never)) // `f` is joined, too
      .where((each) => each.not(each.exists(wantedEvents(db, each as never)))) // `f` is joined, too
      .limit(sql.lit(passedAtOnce)),
  )
}

interface Passed {
  id: string
  from_position: number
  to_position: number
  updated_at: number
}

/** Moves endpoints of an account that are still as they were found. */
function createMoveOn(db: Db) {
  const { features } = db
  return db.statement<{ accountId: string; passed: string } & DueTimes>()((queries, value) =>
    queries
      .updateTable('clientele_webhooks')
      .from((of) =>
        of
          .selectFrom('clientele_webhooks as w')
          .innerJoin(
            features
              .recordsOfJsonArray<Passed>(value('passed'), {
                id: 'id',
                from_position: 'counter',
                to_position: 'counter',
                updated_at: 'time',
              })
              .as('r'),
            (join) =>
              join
                .onRef('w.id', '=', 'r.id')
                .onRef('w.position', '=', 'r.from_position')
                .onRef('w.updated_at', '=', 'r.updated_at'),
          )
          .select(['w.id as passed_id', 'r.to_position'])
          .where('w.account_id', '=', value('accountId'))
          .where((each) => isFree(each.ref('w.lease_until'), value))
          // A process that has leased one of them moves it by itself.
          .$if(features.hasConcurrentWriters, (locked) => locked.forUpdate('w').skipLocked())
          .as('passed'),
      )
      .set((of) => ({ position: of.ref('passed.to_position') }))
      .where('clientele_webhooks.account_id', '=', value('accountId'))
      .whereRef('clientele_webhooks.id', '=', 'passed.passed_id'),
  )
}
