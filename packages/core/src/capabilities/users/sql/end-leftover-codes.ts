import type { QueryCreator } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { UserKey } from '../store.ts'
import { selectFactor } from './factor-user-id.ts'

/** Makes the statement that ends what `deleteLeftoverCodes` deletes. */
export function createEndLeftoverCodes(db: Db) {
  return db.statement<UserKey>()(deleteLeftoverCodes)
}

/** Deletes the recovery codes of a user without a second factor: they would stand for the next one. */
export function deleteLeftoverCodes(queries: QueryCreator<Database>, value: ParameterOf<UserKey>) {
  return queries
    .deleteFrom('clientele_recovery_codes')
    .where('account_id', '=', value('accountId'))
    .where('user_id', '=', value('userId'))
    .where((of) => of.not(of.exists(selectFactor(value('accountId'), value('userId'), true))))
}
