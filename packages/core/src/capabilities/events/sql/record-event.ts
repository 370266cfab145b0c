import { type AliasableExpression, type AliasedExpression, type Expression, sql } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import type { Statement } from '../../../sql/statement.ts'
import { type Database, kindsOf } from '../../../sql/tables/tables.ts'
import { columnOf, userFieldNames, userFields } from '../../../user-model/fields.ts'
import { type NewEvent, renderData, renderPerson } from '../new-event.ts'

/** The columns of an event except its account and its seal, each with its statement parameter. */
const parameters = {
  id: 'eventId',
  type: 'eventType',
  created_at: 'eventAt',
  actor_type: 'eventActorType',
  actor_id: 'eventActorId',
  request_id: 'eventRequestId',
  subject_type: 'eventSubjectType',
  subject_id: 'eventSubjectId',
  data: 'eventData',
  person: 'eventPerson',
} as const satisfies Partial<Record<keyof Database['clientele_events'], string>>

export type EventColumn = keyof typeof parameters
export const eventColumns = Object.keys(parameters) as EventColumn[] // the object's own keys
export const insertedColumns = ['account_id', ...eventColumns, 'chain'] as const
export const recordKinds = kindsOf('clientele_events', [...eventColumns, 'chain'])

/** An event's row, without its account */
export type EventRecord = Pick<Database['clientele_events'], EventColumn | 'chain'>

/** An event as parameters of a statement. */
export type EventValues = { accountId: string; eventSeal: string | null } & {
  [Column in EventColumn as (typeof parameters)[Column]]: EventRecord[Column]
}

export function eventValues(event: NewEvent): Omit<EventValues, 'accountId'> {
  const { id, type, createdAt, actor, requestId, subject, person, seal } = event
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
    eventSeal: seal ?? null,
  }
}

/** The same as a JSON record. */
export function toEventRecord(event: NewEvent): EventRecord {
  const values = eventValues(event)
  const members = eventColumns.map((column) => [column, values[parameters[column]]])
  const record = Object.fromEntries(members) as Pick<EventRecord, EventColumn> // each column once
  return { ...record, chain: values.eventSeal }
}

/** Writes the event of a change; `person` `changed`: with the user whose row was changed. */
export function recordEvent(
  db: Db,
  { person = 'given' }: { person?: 'given' | 'changed' } = {},
): Effect<EventValues> {
  return (queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns(insertedColumns)
      .expression((of) =>
        of
          .selectFrom('changed')
          .select(selectionOf(db, value, person === 'changed' ? writtenUser(db) : undefined)),
      )
}

/** The columns of an event's row, in the order of `insertedColumns`, from the statement's parameters. */
function selectionOf(
  db: Db,
  value: ParameterOf<EventValues>,
  person?: AliasableExpression<string | null>,
): AliasedExpression<unknown, string>[] {
  const columns = eventColumns.map((column) => {
    if (column === 'person' && person !== undefined) return person.as(column)
    return db.typed(value(parameters[column]), recordKinds[column]).as(column)
  })
  // Until an event has a position, the column of its links holds its seal.
  const seal = db.typed(value('eventSeal'), recordKinds.chain)
  return [db.typed(value('accountId'), 'id').as('account_id'), ...columns, seal.as('chain')]
}

/** The user in `changed` as an `EventPerson`. */
function writtenUser(db: Db) {
  const { jsonObject } = db.features
  const members = userFieldNames.map((name) => {
    const column = sql.ref(columnOf(name))
    // As in a `StoredUser`: JSON is text.
    return [name, userFields[name].kind === 'json' ? db.typed(column, 'text') : column]
  })
  const person = jsonObject({ user: jsonObject(Object.fromEntries(members)) })
  return sql<string>`cast(${person} as text)`
}

/** Writes an event without a change of rows. */
export function createAppendEvent(db: Db): Statement<EventValues, unknown> {
  return db.statement<EventValues>()((queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns(insertedColumns)
      .expression(sql`values (${sql.join(valuesOf(value))})`),
  )
}

/** The same on PostgreSQL, with a given place in the order in which events are written. */
export function createAppendInOrder(db: Db): Statement<EventValues & { order: number }, unknown> {
  return db.statement<EventValues & { order: number }>()((queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns([...insertedColumns, 'seq' as never]) // no statement but this one writes the column
      .expression(
        sql`overriding system value values (${sql.join([...valuesOf(value), value('order')])})`,
      ),
  )
}

/** The parameters for `insertedColumns` */
function valuesOf(value: ParameterOf<EventValues>): Expression<unknown>[] {
  const others = eventColumns.map((column) => value(parameters[column]))
  return [value('accountId'), ...others, value('eventSeal')]
}

/**
 * Writes an event of an account that no other row of the transaction holds: nothing if the account is gone by now. A
 * deletion of the account and this statement wait for each other, so that no event stays behind.
 *
 * @param isAboutUser nothing is written if the user is gone either: an erasure waits in the same way, and its own event
 *   is the last about the user
 */
export function createAppendAlone(
  db: Db,
  { isAboutUser }: { isAboutUser: boolean },
): Statement<EventValues, { id: string }> {
  return db.statement<EventValues>()((queries, value) => {
    const withAccount = queries.with('account', (q) =>
      q
        .selectFrom('clientele_accounts')
        .select('id')
        .where('id', '=', value('accountId'))
        .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare()),
    )
    const insert = isAboutUser
      ? withAccount
          .with('subject', (q) =>
            q
              .selectFrom('clientele_users')
              .select('id')
              .where('account_id', '=', value('accountId'))
              // The row exists if the id is not null.
              .where('id', '=', db.typed(value('eventSubjectId') as Expression<string>, 'id'))
              .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare()),
          )
          .insertInto('clientele_events')
      : withAccount.insertInto('clientele_events')
    return insert
      .columns(insertedColumns)
      .expression(() =>
        queries
          .selectNoFrom(selectionOf(db, value))
          .where(sql<boolean>`exists (select id from account)`)
          .$if(isAboutUser, (only) => only.where(sql<boolean>`exists (select id from subject)`)),
      )
      .returning('id')
  })
}
