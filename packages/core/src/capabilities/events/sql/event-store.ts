import { lowestIdAt } from '../../../base/input/id.ts'
import { readWithinBytes } from '../../../base/runtime/read-within-bytes.ts'
import type { Db } from '../../../sql/db.ts'
import type { EventLinker, EventStore, FeedRequest, StoredEvent } from '../store.ts'
import { createFeedPurge } from './feed-purge.ts'
import { createFeedQueries, type EventRow, sizeOfEvent, toStoredEvent } from './feed-queries.ts'
import { createFindEnd } from './find-end.ts'
import { createGivePlaces } from './give-places.ts'
import { createReadPlaced } from './read-placed.ts'
import { createAppendAboutUser, createAppendEvent, eventValues } from './record-event.ts'

/** How many positions one request checks at most when it has a filter: matches may be rare. */
const maxSearchedPositions = 10_000

/** Only the last events of a response may exceed this size. */
const maxPageBytes = 1024 * 1024

/** Pages of hundreds of feeds are in memory at once. */
const maxPlacedBytes = 256 * 1024

type Wanted = Omit<FeedRequest, 'after'>

function isFiltered({ types, userId, actorType, since }: Wanted): boolean {
  return [types, userId, actorType, since].some((filter) => filter !== undefined)
}

export function createEventStore(db: Db): EventStore {
  const appendEvent = createAppendEvent(db)
  const appendAboutUser = createAppendAboutUser(db)
  let linker: EventLinker | undefined
  const findEnd = createFindEnd(db, () => linker)
  const { selectEvents, selectFirst, selectEarlier, ...queries } = createFeedQueries(db)
  const selectOne = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id')),
  )
  const purge = createFeedPurge(db, () => linker)

  async function select(
    accountId: string,
    {
      from,
      until,
      limit,
      types,
      userId,
      actorType,
      since,
    }: Wanted & { from: number; until: number },
    order: 'asc' | 'desc',
    maxBytes = maxPageBytes,
  ): Promise<{ events: StoredEvent[]; isEnd: boolean }> {
    if (until <= from) return { events: [], isEnd: true }
    const filters = {
      hasTypes: types !== undefined,
      hasUser: userId !== undefined,
      hasActor: actorType !== undefined,
      hasSince: since !== undefined,
    }
    const statement = selectEvents(filters, order)
    const wanted = {
      accountId,
      types: JSON.stringify(types ?? []),
      userId: userId ?? '',
      actorType: actorType ?? '',
      since: since ?? 0,
    }
    const bounds = { limit, maxBytes, sizeOf: sizeOfEvent }
    const { rows, isEnd } = await readWithinBytes(bounds, (last: EventRow | undefined, size) =>
      db.query(statement, {
        ...wanted,
        after: order === 'asc' ? (last?.position ?? from) : from,
        until: order === 'desc' && last !== undefined ? last.position - 1 : until,
        limit: size,
      }),
    )
    return { events: rows.map(toStoredEvent), isEnd }
  }

  const readPlaced = createReadPlaced(
    db,
    (accountId, range) => select(accountId, range, 'asc', maxPlacedBytes),
    maxSearchedPositions,
  )

  async function read(accountId: string, { after, ...wanted }: FeedRequest) {
    const { lastPosition, purgedPosition } = await findEnd(accountId)
    const from = Math.max(after, purgedPosition)
    const until = isFiltered(wanted)
      ? Math.min(lastPosition, from + maxSearchedPositions)
      : lastPosition
    const { events, isEnd } = await select(accountId, { ...wanted, from, until }, 'asc')
    const last = events.at(-1)
    const position = !isEnd && last !== undefined ? last.position : Math.max(until, after)
    return { events, position, hasMore: position < lastPosition, lastPosition, purgedPosition }
  }

  return {
    append: async (accountId, event) => {
      const isAboutUser = event.subject.type === 'user' && event.subject.id !== null
      const statement = isAboutUser ? appendAboutUser : appendEvent
      await db.query(statement, { accountId, ...eventValues(event) })
    },
    read,
    readPlaced: db.features.isInProcess ? read : readPlaced,
    readLatest: async (accountId, { before, after, ...wanted }) => {
      const { lastPosition, purgedPosition } = await findEnd(accountId)
      const until = before ?? lastPosition
      const end = Math.max(after, purgedPosition)
      const from = isFiltered(wanted) ? Math.max(end, until - maxSearchedPositions) : end
      const { events, isEnd } = await select(accountId, { ...wanted, from, until }, 'desc')
      const last = events.at(-1)
      const position = !isEnd && last !== undefined ? last.position - 1 : Math.min(from, until)
      return { events, position, hasMore: position > end, lastPosition, purgedPosition }
    },
    has: async (accountId, id) => (await db.queryOne(selectOne, { accountId, id })) !== undefined,
    findStart: async (accountId, since) => {
      const { lastPosition } = await findEnd(accountId)
      const id = lowestIdAt(since)
      const [first] = await db.query(selectFirst, { accountId, id })
      if (first?.position == null) return lastPosition
      let { position } = first
      // A transaction that began later may have committed earlier.
      for (;;) {
        const [earlier] = await db.query(selectEarlier, { accountId, id, position })
        if (earlier?.position == null) return position - 1
        position = earlier.position
      }
    },
    ...queries,
    findEnd,
    givePlaces: createGivePlaces(db, () => linker, findEnd),
    linkBy: (given) => {
      linker = given
    },
    purge: async (accountId, before) => {
      // Without readers no event has a position yet.
      await findEnd(accountId)
      return purge(accountId, before)
    },
  }
}
