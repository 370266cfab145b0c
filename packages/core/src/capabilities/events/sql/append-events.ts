import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { NewEvent } from '../new-event.ts'
import {
  type EventRecord,
  eventColumns,
  insertedColumns,
  recordKinds,
  toEventRecord,
} from './record-event.ts'

/** Writes several events of an account with one statement, in their order. */
export function appendEvents(
  db: Db,
): (accountId: string, events: readonly NewEvent[]) => Transaction<void> {
  const insert = db.statement<{ accountId: string; events: string }>()((queries, value) =>
    queries
      .insertInto('clientele_events')
      .columns(insertedColumns)
      .expression((of) =>
        of
          .selectFrom(
            db.features.recordsOfJsonArray<EventRecord>(value('events'), recordKinds).as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), ...eventColumns, 'chain'])
          // Ids are made in ascending order.
          .orderBy('r.id'),
      ),
  )
  return function* (accountId, events) {
    yield* run(insert, { accountId, events: JSON.stringify(events.map(toEventRecord)) })
  }
}
