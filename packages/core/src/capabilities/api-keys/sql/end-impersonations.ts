import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createTell } from '../../events/sql/write-and-tell.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { EndedImpersonations, EndedOf } from '../store.ts'

type OfKey = { accountId: string; keyId: string }

/** Of how many users one transaction ends the impersonations */
const maxUsers = 50

/** Makes the step of a transaction that ends sessions that an API key opened for people who act as users. */
export function createEndImpersonations(
  db: Db,
): (ofKey: OfKey, endedOf: EndedOf) => Transaction<EndedImpersonations> {
  const selectUsers = db.statement<OfKey>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions')
      .select('user_id')
      .distinct()
      .where('account_id', '=', value('accountId'))
      .where('impersonated_by', 'is not', null)
      .where('opened_by_key', '=', value('keyId'))
      // Two calls at once lock the users in the same order.
      .orderBy('user_id')
      .limit(sql.lit(maxUsers)),
  )
  const deleteSessions = db.statement<OfKey & { userId: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sessions')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('opened_by_key', '=', value('keyId'))
      .$call(withUserLocked(db, value))
      .returning('id'),
  )
  const tell = createTell(db)

  return function* endImpersonations(ofKey, endedOf) {
    const ended: EndedImpersonations = []
    for (const { user_id: userId } of yield* run(selectUsers, ofKey)) {
      const sessions = yield* run(deleteSessions, { ...ofKey, userId })
      const event = yield* tell(ofKey.accountId, sessions, (ids) => endedOf(userId, ids))
      if (event !== undefined) ended.push(event)
    }
    return ended
  }
}
