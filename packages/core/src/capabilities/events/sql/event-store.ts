import type { Db } from '../../../sql/db.ts'
import type { EventLinker, EventStore } from '../store.ts'
import { createFeedPurge } from './feed-purge.ts'
import { createFeedQueries } from './feed-queries.ts'
import { createFindEnd } from './find-end.ts'
import { createFindStart } from './find-start.ts'
import { createGivePlaces } from './give-places.ts'
import { createReadPlaced } from './read-placed.ts'
import { createAppendAlone, eventValues } from './record-event.ts'
import {
  createSelectEvents,
  type PageSize,
  type SelectEvents,
  type Wanted,
} from './select-events.ts'

/** How many positions one request checks at most when it has a filter: matches may be rare. */
const maxSearchedPositions = 10_000

/** The same for readers of many feeds, on a database whose statements block the event loop. */
const maxPositionsInProcess = 1_000

/** Pages of hundreds of feeds are in memory at once. */
const maxPlacedBytes = 256 * 1024
/** Events of the most and longest roles and metadata take 23 kB each. */
const firstPlacedRows = 10

export function createEventStore(db: Db): EventStore {
  let linker: EventLinker | undefined
  const findLinker = () => linker
  const findEnd = createFindEnd(db, findLinker)
  const select = createSelectEvents(db.reads)

  return {
    append: append(db),
    read: createRead(select, findEnd, maxSearchedPositions),
    readPlaced: db.features.isInProcess
      ? createRead(select, findEnd, maxPositionsInProcess, {
          maxBytes: maxPlacedBytes,
          firstRows: firstPlacedRows,
        })
      : createReadPlaced(
          db,
          (accountId, range, size) => select(accountId, range, 'asc', size),
          maxPlacedBytes,
          maxSearchedPositions,
        ),
    readLatest: readLatest(select, findEnd),
    has: has(db),
    findStart: createFindStart(db, findEnd),
    ...createFeedQueries(db),
    findEnd,
    givePlaces: createGivePlaces(db, findLinker, findEnd),
    linkBy: (given) => {
      linker = given
    },
    purge: purge(db, findLinker, findEnd),
  }
}

function append(db: Db): EventStore['append'] {
  const appendOther = createAppendAlone(db, { isAboutUser: false })
  const appendAboutUser = createAppendAlone(db, { isAboutUser: true })

  return async (accountId, event) => {
    const isAboutUser = event.subject.type === 'user' && event.subject.id !== null
    const statement = isAboutUser ? appendAboutUser : appendOther
    return (await db.queryOne(statement, { accountId, ...eventValues(event) })) !== undefined
  }
}

function createRead(
  select: SelectEvents,
  findEnd: EventStore['findEnd'],
  maxPositions: number,
  size?: PageSize,
): EventStore['read'] {
  return async (accountId, { after, ...wanted }) => {
    const { lastPosition, ...ends } = await findEnd(accountId)
    const from = Math.max(after, ends.purgedPosition)
    const until = isFiltered(wanted) ? Math.min(lastPosition, from + maxPositions) : lastPosition
    const { events, isEnd } = await select(accountId, { ...wanted, from, until }, 'asc', size)
    // Where an event is missing, it may have been deleted in between: the reader has to know.
    const mayMiss = from < until && (isFiltered(wanted) || events[0]?.position !== from + 1)
    const { purgedPosition } = mayMiss ? await findEnd(accountId) : ends
    const last = events.at(-1)
    const position = !isEnd && last !== undefined ? last.position : Math.max(until, after)
    return { events, position, hasMore: position < lastPosition, lastPosition, purgedPosition }
  }
}

function readLatest(
  select: SelectEvents,
  findEnd: EventStore['findEnd'],
): EventStore['readLatest'] {
  return async (accountId, { before, after, ...wanted }) => {
    const { lastPosition, purgedPosition } = await findEnd(accountId)
    const until = before ?? lastPosition
    const end = Math.max(after, purgedPosition)
    const from = isFiltered(wanted) ? Math.max(end, until - maxSearchedPositions) : end
    const { events, isEnd } = await select(accountId, { ...wanted, from, until }, 'desc')
    const last = events.at(-1)
    const position = !isEnd && last !== undefined ? last.position - 1 : Math.min(from, until)
    return { events, position, hasMore: position > end, lastPosition, purgedPosition }
  }
}

function has(db: Db): EventStore['has'] {
  const selectOne = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id')),
  )

  return async (accountId, id) => (await db.queryOne(selectOne, { accountId, id })) !== undefined
}

function purge(
  db: Db,
  findLinker: () => EventLinker | undefined,
  findEnd: EventStore['findEnd'],
): EventStore['purge'] {
  const purgeFeed = createFeedPurge(db, findLinker)

  return async (accountId, before) => {
    // Without readers no event has a position yet.
    await findEnd(accountId)
    return purgeFeed(accountId, before)
  }
}

function isFiltered({ types, userId, actorType, since }: Wanted): boolean {
  return [types, userId, actorType, since].some((filter) => filter !== undefined)
}
