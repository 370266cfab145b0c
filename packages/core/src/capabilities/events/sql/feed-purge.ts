import { sql } from 'kysely'
import { type Db, Rollback, run, type Transaction } from '../../../sql/db.ts'
import type { EventLinker } from '../store.ts'
import { toChainedEvent } from './feed-queries.ts'
import { createLockFeed } from './lock-feed.ts'
import { eventColumns } from './record-event.ts'

/** How many of the oldest events one transaction deletes. */
const purgedAtOnce = 500

/** Deletes events from the beginning of a feed. Events without a position stay. */
export function createFeedPurge(
  db: Db,
  findLinker: () => EventLinker | undefined,
): (accountId: string, before: number) => Promise<number> {
  const lockFeed = createLockFeed(db)
  /** The positions of the oldest events, up to the first that has to stay */
  const selectOld = db.statement<{ accountId: string; after: number; before: number }>()(
    (queries, value) =>
      queries
        .selectFrom((of) =>
          of
            .selectFrom('clientele_events')
            .select(['position', 'created_at'])
            .where('account_id', '=', value('accountId'))
            .where('position', '>', value('after'))
            .orderBy('position')
            .limit(sql.lit(purgedAtOnce))
            .as('oldest'),
        )
        .select((of) => [
          of.fn.max('position').as('lastPosition'),
          of.fn
            .min(of.case().when('created_at', '>=', value('before')).then(of.ref('position')).end())
            .as('firstKept'),
        ]),
  )
  const deleteUntil = db.statement<{ accountId: string; until: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_events')
      .where('account_id', '=', value('accountId'))
      .where('position', '<=', value('until'))
      .returning([...eventColumns, 'chain', 'person_salt'])
      .returning(sql<number>`position`.as('position')),
  )
  const noteUntil = db.statement<{ accountId: string; until: number; chain: string | null }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_event_feeds')
        .set({ purged_position: value('until'), purged_chain: value('chain') })
        .where('account_id', '=', value('accountId')),
  )

  return (accountId, before) =>
    db.transact(function* (): Transaction<number> {
      const [feed] = yield* run(lockFeed, { accountId })
      if (feed === undefined) return 0
      const [old] = yield* run(selectOld, { accountId, after: feed.purgedPosition, before })
      const until = (old?.firstKept ?? (old?.lastPosition ?? 0) + 1) - 1
      if (until <= feed.purgedPosition) return 0
      const deleted = yield* run(deleteUntil, { accountId, until })
      // The remaining events follow the last deleted one.
      const gone = deleted.map(toChainedEvent).sort((one, other) => one.position - other.position)
      const beginning = { position: feed.purgedPosition, chain: feed.purgedChain }
      const linker = findLinker()
      const chain = linker === undefined ? null : linker.moveBeginning(accountId, beginning, gone)
      if (chain === undefined)
        throw new Rollback('The oldest events were changed outside of Clientele: see event verify.')
      yield* run(noteUntil, { accountId, until, chain })
      return deleted.length
    })
}
