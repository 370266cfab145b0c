import type { Db } from '../../../sql/db.ts'
import { changedBy, type Effect } from '../../../sql/effects.ts'
import type { UserKey } from '../store.ts'

/** A sign-in that waits has shown what there was before its user's factors changed: it starts over. */
export function deleteChallenges(db: Db): Effect<UserKey, { account_id: string; user_id: string }> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('hash', 'in', (of) =>
        of
          .selectFrom('clientele_challenges')
          .select('hash')
          .where('account_id', '=', value('accountId'))
          .where('user_id', changedBy(db), (user) => user.selectFrom('changed').select('user_id')),
      )
}
