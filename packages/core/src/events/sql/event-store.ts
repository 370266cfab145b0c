import { lowestIdAt } from '../../input/id.ts'
import type { Db } from '../../sql/db.ts'
import type { EventLinker, EventStore } from '../store.ts'
import { createFeedPurge } from './feed-purge.ts'
import { createFeedQueries, toStoredEvent } from './feed-queries.ts'
import { createFindEnd } from './find-end.ts'
import { createAppendAboutUser, createAppendEvent, eventValues } from './record-event.ts'

/** With a filter so many places are looked at by one request at most: what matches may be rare. */
const maxSearchedPositions = 10_000

export function createEventStore(db: Db): EventStore {
  const appendEvent = createAppendEvent(db)
  const appendAboutUser = createAppendAboutUser(db)
  let linker: EventLinker | undefined
  const findEnd = createFindEnd(db, () => linker)
  const { selectEvents, selectFirst, ...queries } = createFeedQueries(db)
  const selectOne = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id')),
  )
  const purge = createFeedPurge(db, () => linker)

  return {
    append: async (accountId, event) => {
      const isAboutUser = event.subject.type === 'user' && event.subject.id !== null
      const statement = isAboutUser ? appendAboutUser : appendEvent
      await db.query(statement, { accountId, ...eventValues(event) })
    },
    read: async (accountId, { after, limit, types, userId, since }) => {
      const { lastPosition, purgedPosition } = await findEnd(accountId)
      const filters = {
        hasTypes: types !== undefined,
        hasUser: userId !== undefined,
        hasSince: since !== undefined,
      }
      const isFiltered = Object.values(filters).includes(true)
      const from = Math.max(after, purgedPosition)
      const until = isFiltered ? Math.min(lastPosition, from + maxSearchedPositions) : lastPosition
      const rows =
        until <= from
          ? []
          : await db.query(selectEvents(filters), {
              accountId,
              after: from,
              until,
              limit,
              types: JSON.stringify(types ?? []),
              userId: userId ?? '',
              since: since ?? 0,
            })
      const events = rows.map(toStoredEvent)
      const last = events.at(-1)
      const isFull = events.length === limit
      const position = isFull && last !== undefined ? last.position : Math.max(until, after)
      return { events, position, hasMore: position < lastPosition, lastPosition, purgedPosition }
    },
    has: async (accountId, id) => (await db.queryOne(selectOne, { accountId, id })) !== undefined,
    findStart: async (accountId, since) => {
      const { lastPosition } = await findEnd(accountId)
      const id = lowestIdAt(since)
      const first = await db.queryOne(selectFirst, { accountId, id })
      const position = first?.position ?? null
      return position === null ? lastPosition : position - 1
    },
    ...queries,
    findEnd,
    linkBy: (given) => {
      linker = given
    },
    purge: async (accountId, before) => {
      // Where nobody reads, nothing has a place yet.
      await findEnd(accountId)
      return purge(accountId, before)
    },
  }
}
