import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { EventType } from '../event-types.ts'
import type { NewEvent } from '../new-event.ts'
import { createAppendEvent, eventValues } from './record-event.ts'

/** Makes the step of a transaction that writes the event about all rows of a write; without rows there is no event. */
export function createTell(db: Db) {
  const appendEvent = createAppendEvent(db)

  return function* tell<Type extends EventType>(
    accountId: string,
    rows: readonly { id: string }[],
    eventOf: (ids: string[]) => NewEvent<Type>,
  ): Transaction<NewEvent<Type> | undefined> {
    if (rows.length === 0) return undefined
    const event = eventOf(rows.map(({ id }) => id))
    yield* run(appendEvent, { accountId, ...eventValues(event) })
    return event
  }
}

/** Makes the function that runs a write and, in the same transaction, writes the event about all rows that it returned. */
export function createWriteAndTell(db: Db) {
  const tell = createTell(db)

  return <Type extends EventType>(
    accountId: string,
    write: () => Transaction<readonly { id: string }[]>,
    eventOf: (ids: string[]) => NewEvent<Type>,
  ): Promise<NewEvent<Type> | undefined> =>
    db.transact(function* () {
      return yield* tell(accountId, yield* write(), eventOf)
    })
}
