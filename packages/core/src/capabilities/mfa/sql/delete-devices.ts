import type { Db } from '../../../sql/db.ts'
import { changedBy } from '../../../sql/effects.ts'
import type { FactorEffect } from './factor-effect.ts'

/** A remembered device stands for the second factor that was proved on it: it ends when the factors change. */
export function deleteDevices(db: Db): FactorEffect<object> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_devices')
      .where('account_id', '=', value('accountId'))
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_devices')
          .select('id')
          .where('account_id', '=', value('accountId'))
          .where('user_id', changedBy(db), (user) => user.selectFrom('changed').select('user_id')),
      )
}
