import type { Database } from '../../sql/database.ts'
import { type Db, run, type Transaction } from '../../sql/db.ts'
import type { NewEvent } from '../new-event.ts'
import { type EventColumn, eventColumnKinds, eventColumns, eventValues } from './record-event.ts'

/** A row, as JSON brings it */
type EventRecord = Pick<Database['clientele_events'], EventColumn>

/** Writes many events of an account by one statement, in their order. */
export function appendEvents(
  db: Db,
): (accountId: string, events: readonly NewEvent[]) => Transaction<void> {
  const insert = db.statement<{ accountId: string; events: string }>()((queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns(['account_id', ...eventColumns])
      .expression((of) =>
        of
          .selectFrom(
            db.features.recordsOfJsonArray<EventRecord>(value('events'), eventColumnKinds).as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), ...eventColumns])
          // Ids are made in ascending order.
          .orderBy('r.id'),
      ),
  )
  return function* (accountId, events) {
    yield* run(insert, { accountId, events: JSON.stringify(events.map(toRecord)) })
  }
}

function toRecord(event: NewEvent): EventRecord {
  const values = eventValues(event)
  return {
    id: values.eventId,
    type: values.eventType,
    created_at: values.eventAt,
    actor_type: values.eventActorType,
    actor_id: values.eventActorId,
    request_id: values.eventRequestId,
    subject_type: values.eventSubjectType,
    subject_id: values.eventSubjectId,
    data: values.eventData,
    person: values.eventPerson,
  }
}
