import { sql } from 'kysely'
import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import { Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { EventLinker, EventStore } from '../store.ts'
import { toChainedEvent } from './feed-queries.ts'
import { createLockFeed } from './lock-feed.ts'
import { eventColumns } from './record-event.ts'

/** How many of the oldest events one transaction deletes: on SQLite all other work waits, and an event may have 30 KB. */
const purgedAtOnce = (db: Db): number => (db.features.isInProcess ? 50 : 500)
/** The same for a feed with a chain, whose events are read again */
const readAtOnce = 50

/** Deletes events from the beginning of a feed. Events without a position stay. */
export function createFeedPurge(
  db: Db,
  findLinker: () => EventLinker | undefined,
): EventStore['purge'] {
  const lockFeed = createLockFeed(db)
  const selectOldest = db.statement<{ accountId: string; after: number; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_events')
        .select([sql<number>`position`.as('position'), 'created_at'])
        .where('account_id', '=', value('accountId'))
        .where('position', '>', value('after'))
        .orderBy('position')
        .limit(value('limit')),
  )
  const selectPosition = sql<number>`position`.as('position')
  const deletion = (queries: Queries, value: ParameterOf<{ accountId: string; until: number }>) =>
    queries
      .deleteFrom('clientele_events')
      .where('account_id', '=', value('accountId'))
      .where('position', '<=', value('until'))
      .returning(selectPosition)
  const deleteUntil = db.statement<{ accountId: string; until: number }>()(deletion)
  const readUntil = db.statement<{ accountId: string; until: number }>()((queries, value) =>
    deletion(queries, value).returning([...eventColumns, 'chain', 'person_salt']),
  )
  const noteUntil = db.statement<{ accountId: string; until: number; chain: string | null }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_event_feeds')
        .set({ purged_position: value('until'), purged_chain: value('chain') })
        .where('account_id', '=', value('accountId')),
  )

  return async (accountId, times) => {
    const count = await db.transact(function* (): Transaction<number> {
      const [feed] = yield* run(lockFeed, { accountId })
      if (feed === undefined) return 0
      const linker = feed.chain === null ? undefined : findLinker()
      const limit = linker === undefined ? purgedAtOnce(db) : readAtOnce
      const oldest = yield* run(selectOldest, { accountId, after: feed.purgedPosition, limit })
      const until = findLastOld(oldest, times)
      if (until <= feed.purgedPosition) return 0
      if (linker === undefined) {
        const deleted = yield* run(deleteUntil, { accountId, until })
        yield* run(noteUntil, { accountId, until, chain: null })
        return deleted.length
      }
      const deleted = yield* run(readUntil, { accountId, until })
      // The remaining events follow the last deleted one.
      const gone = deleted.map(toChainedEvent).sort((one, other) => one.position - other.position)
      const beginning = { position: feed.purgedPosition, chain: feed.purgedChain }
      const chain = linker.moveBeginning(accountId, beginning, gone)
      if (chain === undefined)
        throw new Rollback('The oldest events were changed outside of Clientele: see event verify.')
      yield* run(noteUntil, { accountId, until, chain })
      return deleted.length
    })
    await db.rest()
    return count
  }
}

/** The position of the last event before the first that has to stay; 0: the oldest has to stay */
function findLastOld(
  oldest: readonly { position: number; created_at: number }[],
  { now, eventsBefore }: { now: number; eventsBefore: number },
): number {
  const latest = latestEnd(now, 0)
  let last = 0
  for (const { position, created_at: createdAt } of oldest) {
    if (createdAt < eventsBefore) last = position
    else if (createdAt <= latest) break
  }
  return last
}
