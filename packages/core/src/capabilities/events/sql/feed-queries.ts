import { sql } from 'kysely'
import type { Actor } from '../../../base/call/call.ts'
import type { Db, Statement } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { EventType, SubjectType } from '../event-types.ts'
import type { ChainedEvent, EventStore, StoredEvent } from '../store.ts'
import { eventColumns } from './record-event.ts'

export type EventRow = Omit<
  Database['clientele_events'],
  'account_id' | 'position' | 'chain' | 'person_salt'
> & { position: number }

/** For how many events ids are compared with positions. */
const comparedAtOnce = 1_000

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

interface Filters {
  hasTypes: boolean
  hasUser: boolean
  hasActor: boolean
  hasSince: boolean
}

export function createFeedQueries(db: Db): Pick<
  EventStore,
  'findHeads' | 'findChainEnds' | 'readChained'
> & {
  selectEvents(filters: Filters, order: 'asc' | 'desc'): Statement<EventsValues, EventRow>
  /** The lowest position of the next events from an id on; null: none */
  selectFirst: Statement<{ accountId: string; id: string }, { position: number | null }>
  /** The same for the events right before a position */
  selectEarlier: Statement<
    { accountId: string; id: string; position: number },
    { position: number | null }
  >
} {
  const statements = new Map<string, Statement<EventsValues, EventRow>>()

  function createSelect(
    { hasTypes, hasUser, hasActor, hasSince }: Filters,
    order: 'asc' | 'desc',
  ): Statement<EventsValues, EventRow> {
    return db.statement<EventsValues>()((queries, value) =>
      queries
        .selectFrom('clientele_events')
        .select(eventColumns)
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
          query
            .where('subject_type', '=', sql.lit('user'))
            .where('subject_id', '=', value('userId')),
        )
        .$if(hasActor, (query) => query.where('actor_type', '=', value('actorType')))
        .$if(hasSince, (query) => query.where('created_at', '>=', value('since')))
        .orderBy('position', order)
        .limit(value('limit')),
    )
  }

  const selectHeads = db.statement<{ accountIds: string }>()((queries, value) =>
    queries
      .selectFrom(db.features.textsOfJsonArray(value('accountIds')).as('a'))
      .leftJoin('clientele_event_feeds as f', (join) =>
        join.on('f.account_id', '=', sql`${db.typed(sql.ref<string>('a.value'), 'id')}`),
      )
      .select((of) => [
        sql.ref<string>('a.value').as('accountId'),
        of.fn.coalesce('f.last_position', sql<number>`0`).as('lastPosition'),
        of
          .exists(
            of
              .selectFrom('clientele_events as e')
              .select('e.id')
              .where('e.account_id', '=', db.typed(sql.ref<string>('a.value'), 'id'))
              .where('e.position', 'is', null),
          )
          .as('hasPending'),
      ]),
  )

  /**
   * Searches by ids, which begin with the time: no index has the time alone. Positions follow the commits: of two
   * concurrent events the lower id may have the later position. So it takes the lowest position of several events, as
   * many as one look-up can afford, however many have been written since.
   */
  const selectFirst = db.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select(sql<number | null>`position`.as('place'))
          .where('account_id', '=', value('accountId'))
          .where('id', '>=', value('id'))
          .orderBy('id')
          .limit(sql.lit(comparedAtOnce))
          .as('first'),
      )
      .select((of) => sql<number | null>`${of.fn.min('first.place')}`.as('position')),
  )
  const selectEarlier = db.statement<{ accountId: string; id: string; position: number }>()(
    (queries, value) =>
      queries
        .selectFrom((of) =>
          of
            .selectFrom('clientele_events')
            .select(['id', sql<number | null>`position`.as('place')])
            .where('account_id', '=', value('accountId'))
            .where('position', '<', value('position'))
            .orderBy('position', 'desc')
            .limit(sql.lit(comparedAtOnce))
            .as('before'),
        )
        .select((of) => sql<number | null>`${of.fn.min('before.place')}`.as('position'))
        .where('before.id', '>=', value('id')),
  )
  const selectEnds = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_event_feeds')
      .select(['last_position', 'chain', 'purged_position', 'purged_chain'])
      .where('account_id', '=', value('accountId')),
  )
  const selectChained = db.statement<
    Pick<EventsValues, 'accountId' | 'after' | 'until' | 'limit'>
  >()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select(eventColumns)
      .select(sql<number>`position`.as('position'))
      .select(['chain', 'person_salt'])
      .where('account_id', '=', value('accountId'))
      .where('position', '>', value('after'))
      .where('position', '<=', value('until'))
      .orderBy('position')
      .limit(value('limit')),
  )

  return {
    selectFirst,
    selectEarlier,
    findChainEnds: async (accountId) => {
      const row = await db.queryOne(selectEnds, { accountId })
      return (
        row && {
          beginning: { position: row.purged_position, chain: row.purged_chain },
          end: { position: row.last_position, chain: row.chain },
        }
      )
    },
    readChained: async (accountId, range) => {
      const rows = await db.query(selectChained, { accountId, ...range })
      return rows.map(toChainedEvent)
    },
    selectEvents: (filters, order) => {
      const { hasTypes, hasUser, hasActor, hasSince } = filters
      const name = [hasTypes, hasUser, hasActor, hasSince, order].join(' ')
      const statement = statements.get(name) ?? createSelect(filters, order)
      statements.set(name, statement)
      return statement
    },
    findHeads: async (accountIds) => {
      const rows = await db.query(selectHeads, { accountIds: JSON.stringify(accountIds) })
      return rows.map((row) => ({ ...row, hasPending: Boolean(row.hasPending) }))
    },
  }
}

export function toChainedEvent(
  row: EventRow & Pick<Database['clientele_events'], 'chain' | 'person_salt'>,
): ChainedEvent {
  return { ...toStoredEvent(row), chain: row.chain, personSalt: row.person_salt }
}

/** The approximate size of an event in a response, in bytes */
export function sizeOfEvent({ data, person }: Pick<EventRow, 'data' | 'person'>): number {
  return data.length + (person?.length ?? 0) + 300
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
