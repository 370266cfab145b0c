import type { Actor } from '../../call.ts'
import type { Db } from '../../sql/db.ts'
import type { EventType, SubjectType } from '../event-types.ts'
import type { EventStore, StoredEvent } from '../store.ts'
import { createFeedPositions } from './feed-positions.ts'
import { createFeedPurge } from './feed-purge.ts'
import { createFeedQueries, type EventRow } from './feed-queries.ts'
import { createAppendEvent, eventValues } from './record-event.ts'

/** With a filter so many places are looked at by one request at most: what matches may be rare. */
const maxSearchedPositions = 10_000

export function createEventStore(db: Db): EventStore {
  const appendEvent = createAppendEvent(db)
  const { givePositions } = createFeedPositions(db)
  const { selectEvents, findHeads } = createFeedQueries(db)
  const purge = createFeedPurge(db)

  return {
    append: async (accountId, event) => {
      await db.query(appendEvent, { accountId, ...eventValues(event) })
    },
    read: async (accountId, { after, limit, types, userId }) => {
      const { lastPosition, purgedPosition } = await givePositions(accountId)
      const isFiltered = types !== undefined || userId !== undefined
      const from = Math.max(after, purgedPosition)
      const until = isFiltered ? Math.min(lastPosition, from + maxSearchedPositions) : lastPosition
      const rows =
        until <= from
          ? []
          : await db.query(
              selectEvents({ hasTypes: types !== undefined, hasUser: userId !== undefined }),
              {
                accountId,
                after: from,
                until,
                limit,
                types: JSON.stringify(types ?? []),
                userId: userId ?? '',
              },
            )
      const events = rows.map(toStoredEvent)
      const last = events.at(-1)
      const isFull = events.length === limit
      const position = isFull && last !== undefined ? last.position : Math.max(until, after)
      return { events, position, hasMore: position < lastPosition, purgedPosition }
    },
    findHeads,
    purge: async (accountId, before) => {
      // Where nobody reads, nothing has a place yet.
      await givePositions(accountId)
      return purge(accountId, before)
    },
  }
}

export function toStoredEvent(row: EventRow): StoredEvent {
  return {
    position: row.position,
    id: row.id,
    type: row.type as EventType, // written by us from EventType
    createdAt: row.created_at,
    actor: { type: row.actor_type as Actor['type'], id: row.actor_id }, // written by us from Actor
    requestId: row.request_id,
    subject: { type: row.subject_type as SubjectType, id: row.subject_id }, // written by us from SubjectType
    data: row.data,
    person: row.person,
  }
}
