import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { UserKey } from '../store.ts'

/** Notes that an address is the user's. Its event is told by whoever knows how that was proved. */
export function createNoteVerified(db: Db) {
  return writeWithEffects<UserKey & { email: string; now: number }>(db)((queries, value) =>
    queries
      .insertInto('clientele_verified_emails')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        email: value('email'),
        verified_at: value('now'),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'user_id']).doUpdateSet((of) => ({
          email: of.ref('excluded.email'),
          verified_at: of.ref('excluded.verified_at'),
        })),
      )
      .returning(['account_id', 'user_id']),
  )
}

/** The address that the user has now, and when it was verified; no row where it was not. */
export function createSelectVerified(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_verified_emails as v')
      .innerJoin('clientele_users as u', (join) =>
        join
          .onRef('u.account_id', '=', 'v.account_id')
          .onRef('u.id', '=', 'v.user_id')
          .onRef('u.email', '=', 'v.email'),
      )
      .select(['v.email', 'v.verified_at as verifiedAt'])
      .where('v.account_id', '=', value('accountId'))
      .where('v.user_id', '=', value('userId')),
  )
}
