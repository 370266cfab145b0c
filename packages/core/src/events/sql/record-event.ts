import { type Expression, sql } from 'kysely'
import type { Database } from '../../sql/database.ts'
import type { Db, ParameterOf, Statement } from '../../sql/db.ts'
import type { ColumnKind } from '../../sql/dialect-features.ts'
import type { Effect } from '../../sql/write-with-effects.ts'
import { columnOf, userFieldNames, userFields } from '../../users/fields.ts'
import { type NewEvent, renderData, renderPerson } from '../new-event.ts'

/** An event, as statements take it. */
export interface EventValues {
  accountId: string
  eventId: string
  eventType: string
  eventAt: number
  eventActorType: string
  eventActorId: string | null
  eventRequestId: string
  eventSubjectType: string
  eventSubjectId: string | null
  eventData: string
  eventPerson: string | null
}

export function eventValues(event: NewEvent): Omit<EventValues, 'accountId'> {
  const { id, type, createdAt, actor, requestId, subject, person } = event
  return {
    eventId: id,
    eventType: type,
    eventAt: createdAt,
    eventActorType: actor.type,
    eventActorId: actor.id,
    eventRequestId: requestId,
    eventSubjectType: subject.type,
    eventSubjectId: subject.id,
    eventData: renderData(event),
    eventPerson: person === undefined ? null : renderPerson(person),
  }
}

/** What is written of an event, besides its account, with the kinds of the columns */
export const eventColumnKinds = {
  id: 'id',
  type: 'text',
  created_at: 'time',
  actor_type: 'text',
  actor_id: 'text',
  request_id: 'text',
  subject_type: 'text',
  subject_id: 'text',
  data: 'text',
  person: 'text',
} as const satisfies Partial<Record<keyof Database['clientele_events'], ColumnKind>>
export type EventColumn = keyof typeof eventColumnKinds
export const eventColumns = Object.keys(eventColumnKinds) as EventColumn[] // its own keys

/** Writes the event of a change; `person` `changed`: with the user whose row was written. */
export function recordEvent(
  db: Db,
  { person = 'given' }: { person?: 'given' | 'changed' } = {},
): Effect<EventValues> {
  return (queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns(['account_id', ...eventColumns])
      .expression((of) =>
        of
          .selectFrom('changed')
          .select([
            db.typed(value('accountId'), 'id').as('account_id'),
            db.typed(value('eventId'), 'id').as('id'),
            db.typed(value('eventType'), 'text').as('type'),
            db.typed(value('eventAt'), 'time').as('created_at'),
            db.typed(value('eventActorType'), 'text').as('actor_type'),
            db.typed(value('eventActorId'), 'text').as('actor_id'),
            db.typed(value('eventRequestId'), 'text').as('request_id'),
            db.typed(value('eventSubjectType'), 'text').as('subject_type'),
            db.typed(value('eventSubjectId'), 'text').as('subject_id'),
            db.typed(value('eventData'), 'text').as('data'),
            (person === 'changed' ? writtenUser(db) : db.typed(value('eventPerson'), 'text')).as(
              'person',
            ),
          ]),
      )
}

/** The user in `changed` as an `EventPerson`. */
function writtenUser(db: Db) {
  const { jsonObject } = db.features
  const members = userFieldNames.map((name) => {
    const column = sql.ref(columnOf(name))
    // As a `StoredUser` has it: JSON is text.
    return [name, userFields[name].kind === 'json' ? db.typed(column, 'text') : column]
  })
  const person = jsonObject({ user: jsonObject(Object.fromEntries(members)) })
  return sql<string>`cast(${person} as text)`
}

/** Writes an event that no change of rows is told by. */
export function createAppendEvent(db: Db): Statement<EventValues, unknown> {
  return db.statement<EventValues>()((queries, value) =>
    queries.insertInto('clientele_events').values(givenRow(value)),
  )
}

/**
 * The same for an event about a user: without the person where the user is gone by now. An erasure of the user waits
 * until the event is committed, or the event waits for the erasure.
 */
export function createAppendAboutUser(db: Db): Statement<EventValues, unknown> {
  return db.statement<EventValues>()((queries, value) =>
    queries
      .with('subject', (q) =>
        q
          .selectFrom('clientele_users')
          .select('id')
          .where('account_id', '=', value('accountId'))
          // A user has an id.
          .where('id', '=', db.typed(value('eventSubjectId') as Expression<string>, 'id'))
          .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare()),
      )
      .insertInto('clientele_events')
      .values((of) => ({
        ...givenRow(value),
        person: of
          .case()
          .when(of.exists(of.selectFrom('subject').select('subject.id')))
          .then(db.typed(value('eventPerson'), 'text'))
          .end(),
      })),
  )
}

function givenRow(value: ParameterOf<EventValues>) {
  return {
    account_id: value('accountId'),
    id: value('eventId'),
    type: value('eventType'),
    created_at: value('eventAt'),
    actor_type: value('eventActorType'),
    actor_id: value('eventActorId'),
    request_id: value('eventRequestId'),
    subject_type: value('eventSubjectType'),
    subject_id: value('eventSubjectId'),
    data: value('eventData'),
    person: value('eventPerson'),
  }
}
