import type { Db } from '../../../sql/db.ts'
import type { UserKey } from '../store.ts'

/**
 * Makes the statement that locks a user's row at the start of a transaction, as every change of the user does: what
 * follows comes before or after such a change, and of several such transactions one after the other.
 */
export function createLockUser(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
}
