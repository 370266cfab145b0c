import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { ComparedFactors, UserKey } from '../store.ts'

/**
 * Makes the part of a transaction that tells whether a user's second factors are those that were read. It follows a statement
 * that locks the user, as each change of the factors does.
 */
export function createHasFactorsStill(db: Db) {
  const selectFactors = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_mfa_factors')
      .select('changed_by')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )

  return function* hasFactorsStill(
    key: UserKey,
    { changedBy }: ComparedFactors,
  ): Transaction<boolean> {
    const [row] = yield* run(selectFactors, key)
    return row !== undefined && row.changed_by === changedBy
  }
}
