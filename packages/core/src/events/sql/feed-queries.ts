import { sql } from 'kysely'
import type { Database } from '../../sql/database.ts'
import type { Db, Statement } from '../../sql/db.ts'
import type { EventStore } from '../store.ts'

export type EventRow = Omit<Database['clientele_events'], 'account_id' | 'position'> & {
  position: number
}

interface EventsValues {
  accountId: string
  after: number
  until: number
  limit: number
  /** JSON */
  types: string
  userId: string
}

interface Filters {
  hasTypes: boolean
  hasUser: boolean
}

export const eventColumns = [
  'id',
  'type',
  'created_at',
  'actor_type',
  'actor_id',
  'request_id',
  'subject_type',
  'subject_id',
  'data',
  'person',
] as const

export function createFeedQueries(db: Db): Pick<EventStore, 'findHeads'> & {
  selectEvents(filters: Filters): Statement<EventsValues, EventRow>
} {
  const statements = new Map<string, Statement<EventsValues, EventRow>>()

  function createSelect({ hasTypes, hasUser }: Filters): Statement<EventsValues, EventRow> {
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
        .orderBy('position')
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

  return {
    selectEvents: (filters) => {
      const name = `${filters.hasTypes} ${filters.hasUser}`
      const statement = statements.get(name) ?? createSelect(filters)
      statements.set(name, statement)
      return statement
    },
    findHeads: async (accountIds) => {
      const rows = await db.query(selectHeads, { accountIds: JSON.stringify(accountIds) })
      return rows.map((row) => ({ ...row, hasPending: Boolean(row.hasPending) }))
    },
  }
}
