import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run } from '../../../sql/statement.ts'
import { createWriteAndTell } from '../../events/sql/write-and-tell.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { ApiKeyStore } from '../store.ts'

type OfKey = { accountId: string; keyId: string }

/** Makes what ends the sessions that an API key opened for people who act as users, one user at a time. */
export function createEndImpersonations(
  db: Db,
): Pick<ApiKeyStore, 'findImpersonated' | 'endImpersonations'> {
  const selectUser = db.statement<OfKey>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions')
      .select('user_id')
      .where('account_id', '=', value('accountId'))
      .where('impersonated_by', 'is not', null)
      .where('opened_by_key', '=', value('keyId'))
      .limit(sql.lit(1)),
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
  const writeAndTell = createWriteAndTell(db)

  return {
    findImpersonated: async (accountId, keyId) =>
      (await db.queryOne(selectUser, { accountId, keyId }))?.user_id,
    endImpersonations: (accountId, keyId, userId, eventOf) =>
      writeAndTell(accountId, () => run(deleteSessions, { accountId, keyId, userId }), eventOf),
  }
}
