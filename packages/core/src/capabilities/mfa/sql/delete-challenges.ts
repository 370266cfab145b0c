import type { Db } from '../../../sql/db.ts'
import { changedBy } from '../../../sql/effects.ts'
import type { FactorEffect } from './factor-effect.ts'

/** A sign-in that waits has shown what there was before the factors changed: it starts over. */
export function deleteChallenges(db: Db): FactorEffect<object> {
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
