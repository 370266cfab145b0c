import type { Db } from '../../../sql/db.ts'
import { run } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { EventType } from '../../events/event-types.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createWriteAndTell } from '../../events/sql/write-and-tell.ts'
import type { UserKey } from '../store.ts'
import { createEndChallenges } from './end-challenges.ts'
import { createLockUser } from './lock-user.ts'

/**
 * Makes the function that deletes all rows of a user, also those that others have written just now, with one event about
 * them. Sign-ins that wait end, too: they would write the next row.
 */
export function createDeleteAllOfUser(db: Db, table: 'clientele_devices' | 'clientele_sessions') {
  const writeAndTell = createWriteAndTell(db)
  const lockUser = createLockUser(db)
  const endChallenges = createEndChallenges(db)
  const deleteAll = writeWithEffects<UserKey>(db)(
    (queries, value) =>
      queries
        .deleteFrom(table)
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .returning(['account_id', 'id']),
    [],
    { seesLatest: true },
  )

  return <Type extends EventType>(
    accountId: string,
    userId: string,
    eventOf: (ids: string[]) => NewEvent<Type>,
  ): Promise<NewEvent<Type> | undefined> =>
    writeAndTell(
      accountId,
      function* () {
        const key = { accountId, userId }
        yield* run(lockUser, key)
        yield* run(endChallenges, key)
        return yield* deleteAll.run(key)
      },
      eventOf,
    )
}
