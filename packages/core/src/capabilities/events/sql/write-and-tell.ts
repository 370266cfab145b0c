import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { EventType } from '../event-types.ts'
import type { NewEvent } from '../new-event.ts'
import { createAppendEvent, eventValues } from './record-event.ts'

/**
 * Makes the function that runs a write and, in the same transaction, writes the event about all rows that it returned; without
 * rows there is no event.
 */
export function createWriteAndTell(db: Db) {
  const appendEvent = createAppendEvent(db)

  return function writeAndTell<Type extends EventType>(
    accountId: string,
    write: () => Transaction<readonly { id: string }[]>,
    eventOf: (ids: string[]) => NewEvent<Type>,
  ): Promise<NewEvent<Type> | undefined> {
    return db.transact(function* () {
      const rows = yield* write()
      if (rows.length === 0) return undefined
      const event = eventOf(rows.map(({ id }) => id))
      yield* run(appendEvent, { accountId, ...eventValues(event) })
      return event
    })
  }
}
