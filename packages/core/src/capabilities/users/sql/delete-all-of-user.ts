import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { EventType } from '../../events/event-types.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createWriteAndTell } from '../../events/sql/write-and-tell.ts'
import type { UserKey } from '../store.ts'
import { withUserLocked } from './with-user-locked.ts'

/** Makes the function that deletes all rows of a user, also those that others have written just now, with one event about them. */
export function createDeleteAllOfUser(db: Db, table: 'clientele_devices' | 'clientele_sessions') {
  const writeAndTell = createWriteAndTell(db)
  const deleteAll = writeWithEffects<UserKey>(db)(
    (queries, value) =>
      queries
        .deleteFrom(table)
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [],
    { seesLatest: true },
  )

  return <Type extends EventType>(
    accountId: string,
    userId: string,
    eventOf: (ids: string[]) => NewEvent<Type>,
  ): Promise<NewEvent<Type> | undefined> =>
    writeAndTell(accountId, () => deleteAll.run({ accountId, userId }), eventOf)
}
