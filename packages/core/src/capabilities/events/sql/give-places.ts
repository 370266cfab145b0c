import { sql } from 'kysely'
import { ClienteleError } from '../../../base/errors.ts'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { EventLinker, EventStore } from '../store.ts'
import { isSameEvent } from './is-same-event.ts'
import { maxStatements, placedAtOnce } from './place-limits.ts'

interface AccountsValues {
  /** JSON */
  accountIds: string
}

/**
 * Assigns positions to events of several accounts in one transaction, as `findEnd` does for one account. Feeds with a
 * chain, new feeds and the remaining events are handled one by one.
 */
export function createGivePlaces(
  db: Db,
  findLinker: () => EventLinker | undefined,
  findEnd: EventStore['findEnd'],
): EventStore['givePlaces'] {
  const placeAll = createPlaceAll(db)

  return async (accountIds) => {
    const left = await placeTogether(accountIds)
    const ends = await Promise.allSettled(left.map((accountId) => findEnd(accountId)))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async function placeTogether(accountIds: readonly string[]): Promise<readonly string[]> {
    const mayGoTogether =
      accountIds.length > 1 &&
      db.features.supportsWritableCte &&
      !db.isDistributed &&
      !findLinker()?.begins
    if (!mayGoTogether) return accountIds
    try {
      return await db.transact(() => placeAll(accountIds))
    } catch (error) {
      if (error instanceof ClienteleError) throw error
      // One account's fault does not affect the others.
      return accountIds
    }
  }
}

/** Places events of feeds without a chain; returns the unfinished accounts. */
function createPlaceAll(db: Db) {
  const { features } = db
  const order = sql.ref<number>(`clientele_events.${features.insertionOrder.name}`)

  // Sorted, so that concurrent transactions do not deadlock.
  const lockFeeds = db.statement<AccountsValues>()((queries, value) =>
    queries
      .selectFrom('clientele_event_feeds')
      .select(['account_id', 'chain'])
      .where('account_id', 'in', idsInJson(features, value('accountIds')))
      .orderBy('account_id')
      .forUpdate(),
  )
  const place = db.statement<AccountsValues>()((queries, value) =>
    queries
      // Found once, as in `findEnd`.
      .with(
        (name) => name('next').materialized(),
        (of) =>
          of
            .selectFrom('clientele_event_feeds as f')
            .innerJoinLateral(
              (each) =>
                each
                  .selectFrom('clientele_events')
                  .select(['clientele_events.id as written_id', order.as('written')])
                  .whereRef('clientele_events.account_id', '=', 'f.account_id')
                  .where('position', 'is', null)
                  .orderBy(order)
                  .limit(sql.lit(placedAtOnce))
                  .as('e'),
              (join) => join.onTrue(),
            )
            .select(['f.account_id as next_account_id', 'e.written as next_written'])
            .select('e.written_id as next_id')
            .select(
              sql<number>`f.last_position + row_number() over (partition by f.account_id order by e.written)`.as(
                'place',
              ),
            )
            .where('f.account_id', 'in', idsInJson(features, value('accountIds')))
            // The first events of each account.
            .orderBy('f.account_id')
            .orderBy('place')
            .limit(sql.lit(placedAtOnce)),
      )
      .with('placed', (q) =>
        q
          .updateTable('clientele_events')
          .from('next')
          .set((of) => ({ position: of.ref('next.place'), chain: null }))
          .where('clientele_events.position', 'is', null)
          .where((of) => features.isAmong(order, of.selectFrom('next').select('next.next_written')))
          .where((of) =>
            features.isAmong(
              of.ref('clientele_events.account_id'),
              of.selectFrom('next').select('next.next_account_id'),
            ),
          )
          .whereRef('clientele_events.account_id', '=', 'next.next_account_id')
          .where((of) => of(order, '=', of.ref('next.next_written')))
          .where((of) => isSameEvent(of.ref('clientele_events.id'), of.ref('next.next_id')))
          .returning(['clientele_events.account_id', 'clientele_events.position']),
      )
      .updateTable('clientele_event_feeds')
      .from((of) =>
        of
          .selectFrom('placed')
          .select('placed.account_id as placed_account_id')
          .select((each) => [
            sql<number>`${each.fn.max('placed.position')}`.as('end'),
            each.fn.countAll<number>().as('placed_count'),
          ])
          .groupBy('placed.account_id')
          .as('ends'),
      )
      .set((of) => ({ last_position: of.ref('ends.end') }))
      .whereRef('clientele_event_feeds.account_id', '=', 'ends.placed_account_id')
      .returning('ends.placed_count as total'),
  )

  return function* placeAll(accountIds: readonly string[]): Transaction<readonly string[]> {
    const feeds = yield* run(lockFeeds, toInput(accountIds))
    const plain = feeds.filter(({ chain }) => chain === null).map((feed) => feed.account_id)
    for (let count = 0; count < maxStatements && plain.length > 0; count++) {
      const placed = yield* run(place, toInput(plain))
      const sum = placed.reduce((before, { total }) => before + total, 0)
      if (sum < placedAtOnce) return accountIds.filter((id) => !plain.includes(id))
    }
    return accountIds
  }
}

function toInput(accountIds: readonly string[]): AccountsValues {
  return { accountIds: toIdsJson(accountIds) }
}
