import { sql } from 'kysely'
import { ClienteleError } from '../../../base/errors.ts'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { EventLinker, EventStore, FeedEnds } from '../store.ts'
import { hasPendingEvents } from './has-pending-events.ts'
import { isSameEvent } from './is-same-event.ts'
import { createLinkedPlaces, type PlacedEnd } from './linked-places.ts'
import { createLockFeed } from './lock-feed.ts'
import { placeLimitsOf } from './place-limits.ts'

/**
 * Assigns positions in the account's feed to events after their commit. A sequence would assign them before the commit,
 * and a reader would skip events that commit late.
 *
 * The feed's row is locked first, so that transactions assign positions one after the other, and each sees the earlier
 * ones. An event that commits later gets a later position. A user's events keep their order, too: each write locks the
 * user's row, so the first event is committed before the second is written.
 *
 * In a feed with a chain this also links the events, at no cost to the writers.
 */
export function createFindEnd(
  db: Db,
  findLinker: () => EventLinker | undefined,
): EventStore['findEnd'] {
  const selectEnd = db.statement<{ accountId: string }>()((queries, value) =>
    queries.selectNoFrom((of) => [
      of
        .selectFrom('clientele_event_feeds')
        .select('last_position')
        .where('account_id', '=', value('accountId'))
        .as('lastPosition'),
      of
        .selectFrom('clientele_event_feeds')
        .select('purged_position')
        .where('account_id', '=', value('accountId'))
        .as('purgedPosition'),
      hasPendingEvents(value('accountId')).as('hasPending'),
    ]),
  )
  const placeAll = createPlaceAll(db, findLinker)
  // Only one reader of a feed holds a connection: otherwise the others would hold connections while they wait for its
  // lock.
  const places = new BatchLoader<undefined, FeedEnds>(
    async (accountId, calls) => {
      const ends = await placeAll(accountId)
      return calls.map(() => ends)
    },
    Number.POSITIVE_INFINITY,
    1,
  )

  return async (accountId) => {
    const end = await db.queryOne(selectEnd, { accountId })
    if (!end?.hasPending)
      return { lastPosition: end?.lastPosition ?? 0, purgedPosition: end?.purgedPosition ?? 0 }
    return db.features.isInProcess ? placeAll(accountId) : places.load(accountId, undefined)
  }
}

/** Places all events that have no position yet, some in each transaction. */
function createPlaceAll(
  db: Db,
  findLinker: () => EventLinker | undefined,
): (accountId: string) => Promise<FeedEnds> {
  const makeFeed = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .insertInto('clientele_event_feeds')
      .columns(['account_id', 'last_position', 'purged_position'])
      // None of an account that is gone by now
      .expression((of) =>
        of
          .selectFrom('clientele_accounts')
          .select(['id', sql.lit(0).as('last_position'), sql.lit(0).as('purged_position')])
          .where('id', '=', value('accountId'))
          .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare()),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  const lockFeed = createLockFeed(db)
  const moveEnd = db.statement<{ accountId: string; position: number; chain: string | null }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_event_feeds')
        .set({ last_position: value('position'), chain: value('chain') })
        .where('account_id', '=', value('accountId')),
  )
  const placeNext = createPlaceNext(db)
  const placeLinked = createLinkedPlaces(db)
  const { mayGoOn } = placeLimitsOf(db)

  function* placeSome(accountId: string): Transaction<FeedEnds & { isWhole: boolean }> {
    let [feed] = yield* run(lockFeed, { accountId })
    if (feed === undefined) {
      yield* run(makeFeed, { accountId })
      ;[feed] = yield* run(lockFeed, { accountId })
    }
    const { lastPosition: before = 0, purgedPosition = 0, chain = null } = feed ?? {}
    const linker = findLinker()
    if (chain !== null && linker === undefined) throw withoutKey()
    const links = linker !== undefined && (chain !== null || linker.begins)
    const startedAt = performance.now()
    let end: PlacedEnd = { position: before, chain, isWhole: false }
    for (let count = 0; !end.isWhole && mayGoOn(count, startedAt); count++)
      end = links
        ? yield* placeLinked(accountId, end, linker)
        : yield* placeNext(accountId, end.position)
    const { position, isWhole } = end
    if (position > before) yield* run(moveEnd, { accountId, position, chain: end.chain })
    return { lastPosition: position, purgedPosition, isWhole }
  }

  return async (accountId) => {
    for (;;) {
      const { isWhole, ...reached } = await db.transact(() => placeSome(accountId))
      if (isWhole) return reached
      await db.rest()
    }
  }
}

/** Gives the next events of a feed without a chain their positions, in the order in which they were written. */
function createPlaceNext(
  db: Db,
): (accountId: string, lastPosition: number) => Transaction<PlacedEnd> {
  const { atOnce } = placeLimitsOf(db)
  const order = sql.ref<number>(`clientele_events.${db.features.insertionOrder.name}`)
  const place = db.statement<{ accountId: string; lastPosition: number }>()((queries, value) =>
    queries
      // Found once: by a plan from when the table was empty, PostgreSQL would find them anew for each event of the account.
      .with(
        (name) => name('placed').materialized(),
        (of) =>
          of
            .selectFrom('clientele_events')
            .select(['clientele_events.id as placed_id', order.as('placed_order')])
            .select(
              sql<number>`cast(${value('lastPosition')} as bigint) + row_number() over (order by ${order})`.as(
                'place',
              ),
            )
            .where('account_id', '=', value('accountId'))
            .where('position', 'is', null)
            .orderBy(order)
            .limit(sql.lit(atOnce)),
      )
      .updateTable('clientele_events')
      .from('placed')
      .set((of) => ({ position: of.ref('placed.place'), chain: null }))
      .where('clientele_events.account_id', '=', value('accountId'))
      // By the order and not by the id: every plan reads the index of the events without a position for that.
      .where('clientele_events.position', 'is', null)
      .where((of) =>
        db.features.isAmong(order, of.selectFrom('placed').select('placed.placed_order')),
      )
      .where((of) => of(order, '=', of.ref('placed.placed_order')))
      .where((of) => isSameEvent(of.ref('clientele_events.id'), of.ref('placed.placed_id')))
      .returning('clientele_events.position'),
  )

  return function* placeNext(accountId, lastPosition) {
    const { length } = yield* run(place, { accountId, lastPosition })
    return { position: lastPosition + length, chain: null, isWhole: length < atOnce }
  }
}

function withoutKey(): ClienteleError {
  return new ClienteleError(
    'secret_required',
    'This feed has a hash chain: read it through createClientele, with the secrets that it was begun with.',
  )
}
