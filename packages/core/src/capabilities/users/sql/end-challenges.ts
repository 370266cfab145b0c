import type { Db } from '../../../sql/db.ts'
import type { UserKey } from '../store.ts'

/**
 * Makes the statement that ends a user's waiting sign-ins: what they showed first may be what was just taken away. It
 * follows a statement that locks the user, and so ends those that began meanwhile, too.
 */
export function createEndChallenges(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )
}
