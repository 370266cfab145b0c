import type { Db } from '../../../sql/db.ts'
import type { UserKey } from '../store.ts'
import { selectExpected } from './user-values.ts'

/**
 * Makes the statement that takes mailed sign-in codes away from a user who is about to be deleted. The foreign key would
 * delete them, and a deleted code tells the caller who asked for it that the address had a user. A user of another version keeps
 * them. The user is locked first, as by what uses a code.
 */
export function createReleaseCodes(db: Db) {
  return db.statement<UserKey & { expectedVersion: number | null }>()((queries, value) =>
    queries
      .updateTable('clientele_sign_in_codes')
      .set({ user_id: null })
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) => {
        const user = selectExpected(queries, value)
        return of.exists(db.features.hasConcurrentWriters ? user.forUpdate() : user)
      }),
  )
}
