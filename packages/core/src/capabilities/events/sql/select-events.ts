import { sql } from 'kysely'
import { readWithinBytes } from '../../../base/runtime/read-within-bytes.ts'
import type { Db } from '../../../sql/db.ts'
import type { Statement } from '../../../sql/statement.ts'
import type { FeedRequest, StoredEvent } from '../store.ts'
import { type EventRow, sizeOfEvent, toStoredEvent } from './feed-queries.ts'
import { eventColumns } from './record-event.ts'

export interface PageSize {
  /** Only the last events of a page may exceed this size. @default 1 MiB */
  maxBytes?: number
  /** How many are read at first, when their size is unknown. @default 100 */
  firstRows?: number
}

const maxPageBytes = 1024 * 1024

export type SelectEvents = ReturnType<typeof createSelectEvents>
export type Wanted = Omit<FeedRequest, 'after'>

interface EventsValues {
  accountId: string
  after: number
  until: number
  limit: number
  /** JSON */
  types: string
  userId: string
  actorType: string
  since: number
}

/** Each shape of a request has its own statement. */
interface Shape {
  hasTypes: boolean
  hasUser: boolean
  hasActor: boolean
  hasSince: boolean
  hasPersons: boolean
  order: 'asc' | 'desc'
}

/** Makes the function that reads the events between two positions, limited in number and in bytes. */
export function createSelectEvents(db: Db) {
  const statements = new Map<string, Statement<EventsValues, EventRow>>()

  function findStatement(shape: Shape): Statement<EventsValues, EventRow> {
    const { hasTypes, hasUser, hasActor, hasSince, hasPersons, order } = shape
    const name = [hasTypes, hasUser, hasActor, hasSince, hasPersons, order].join(' ')
    const statement = statements.get(name) ?? createSelect(db, shape)
    statements.set(name, statement)
    return statement
  }

  return async function select(
    accountId: string,
    {
      from,
      until,
      limit,
      types,
      userId,
      actorType,
      since,
      withoutPersons,
    }: Wanted & { from: number; until: number },
    order: 'asc' | 'desc',
    { maxBytes = maxPageBytes, firstRows }: PageSize = {},
  ): Promise<{ events: StoredEvent[]; isEnd: boolean }> {
    if (until <= from) return { events: [], isEnd: true }
    const statement = findStatement({
      hasTypes: types !== undefined,
      hasUser: userId !== undefined,
      hasActor: actorType !== undefined,
      hasSince: since !== undefined,
      hasPersons: withoutPersons !== true,
      order,
    })
    const wanted = {
      accountId,
      types: JSON.stringify(types ?? []),
      userId: userId ?? '',
      actorType: actorType ?? '',
      since: since ?? 0,
    }
    const first = firstRows !== undefined && { firstRows }
    const bounds = { limit, maxBytes, ...first, sizeOf: sizeOfEvent }
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
}

const noPerson = sql<string | null>`null`.as('person')

function createSelect(
  db: Db,
  { hasTypes, hasUser, hasActor, hasSince, hasPersons, order }: Shape,
): Statement<EventsValues, EventRow> {
  return db.statement<EventsValues>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select(
        eventColumns.map((column) => (column === 'person' && !hasPersons ? noPerson : column)),
      )
      .select(sql<number>`position`.as('position'))
      .where('account_id', '=', value('accountId'))
      .where('position', '>', value('after'))
      .where('position', '<=', value('until'))
      .$if(hasTypes, (query) =>
        query.where('type', 'in', (of) =>
          of.selectFrom(db.features.textsOfJsonArray(value('types')).as('t')).select('t.value'),
        ),
      )
      .$if(hasUser, (query) =>
        query.where('subject_type', '=', sql.lit('user')).where('subject_id', '=', value('userId')),
      )
      .$if(hasActor, (query) => query.where('actor_type', '=', value('actorType')))
      .$if(hasSince, (query) => query.where('created_at', '>=', value('since')))
      .orderBy('position', order)
      .limit(value('limit')),
  )
}
