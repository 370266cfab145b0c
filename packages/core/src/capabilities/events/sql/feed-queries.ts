import { sql } from 'kysely'
import type { Actor } from '../../../base/call/call.ts'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { EventType, SubjectType } from '../event-types.ts'
import type { ChainedEvent, EventStore, StoredEvent } from '../store.ts'
import { hasPendingEvents } from './has-pending-events.ts'
import { eventColumns } from './record-event.ts'

export type EventRow = Omit<
  Database['clientele_events'],
  'account_id' | 'position' | 'chain' | 'person_salt'
> & { position: number }

/** A range of positions: the first is outside of it, the last inside */
interface RangeValues {
  accountId: string
  after: number
  until: number
  limit: number
}

/** Reads the ends of feeds, and the links of a chain. */
export function createFeedQueries(
  db: Db,
): Pick<EventStore, 'findHeads' | 'findChainEnds' | 'readChained' | 'readOutside'> {
  return {
    findHeads: findHeads(db),
    findChainEnds: findChainEnds(db),
    readChained: readChained(db),
    readOutside: readOutside(db),
  }
}

function findHeads(db: Db): EventStore['findHeads'] {
  const selectHeads = db.statement<{ accountIds: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .leftJoin('clientele_event_feeds as f', 'f.account_id', 'a.id')
      .select((of) => [
        'a.id as accountId',
        of.fn.coalesce('f.last_position', sql<number>`0`).as('lastPosition'),
        hasPendingEvents(of.ref('a.id')).as('hasPending'),
      ])
      .where((of) =>
        db.features.isAmong(of.ref('a.id'), idsInJson(db.features, value('accountIds'))),
      ),
  )

  return async (accountIds) => {
    const rows = await db.query(selectHeads, { accountIds: toIdsJson(accountIds) })
    return rows.map((row) => ({ ...row, hasPending: Boolean(row.hasPending) }))
  }
}

function findChainEnds(db: Db): EventStore['findChainEnds'] {
  const selectEnds = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_event_feeds')
      .select(['last_position', 'chain', 'purged_position', 'purged_chain'])
      .where('account_id', '=', value('accountId')),
  )

  return async (accountId) => {
    const row = await db.queryOne(selectEnds, { accountId })
    return (
      row && {
        beginning: { position: row.purged_position, chain: row.purged_chain },
        end: { position: row.last_position, chain: row.chain },
      }
    )
  }
}

function readChained(db: Db): EventStore['readChained'] {
  const selectChained = db.statement<RangeValues>()((queries, value) =>
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

  return async (accountId, range) => {
    const rows = await db.query(selectChained, { accountId, ...range })
    return rows.map(toChainedEvent)
  }
}

function readOutside(db: Db): EventStore['readOutside'] {
  const selectOutside = db.statement<RangeValues>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select(['id', sql<unknown>`position`.as('position')])
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        of.or([of('position', '<=', value('after')), of('position', '>', value('until'))]),
      )
      .orderBy('position')
      .limit(value('limit')),
  )

  return async (accountId, range) => {
    const rows = await db.query(selectOutside, { accountId, ...range })
    // SQLite stores a text there, too, and sorts it behind all numbers.
    return rows.map(({ id, position }) => ({
      id,
      position: Number.isSafeInteger(position) ? Number(position) : Number.MAX_SAFE_INTEGER,
    }))
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
