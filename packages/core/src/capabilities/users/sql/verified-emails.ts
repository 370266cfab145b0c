import { type Expression, expressionBuilder } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { UserKey } from '../store.ts'

/** Records that an address is verified. The code that proved it writes the event. */
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

/** The user's present address and when it was verified; no row when it is not verified. */
export function createSelectVerified(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_verified_emails as v')
      .innerJoin('clientele_users as u', (join) =>
        join
          .on('u.account_id', '=', value('accountId'))
          .onRef('u.id', '=', 'v.user_id')
          .onRef('u.email', '=', 'v.email'),
      )
      .select(['v.email', 'v.verified_at as verifiedAt'])
      .where('v.account_id', '=', value('accountId'))
      .where('v.user_id', '=', value('userId')),
  )
}

/** The id of a user, if the present address of this user is verified. */
export function verifiedUserId(accountId: Expression<string>, userId: Expression<string | null>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_verified_emails as v')
    .innerJoin('clientele_users as vu', (join) =>
      join
        .on('vu.account_id', '=', accountId)
        .onRef('vu.id', '=', 'v.user_id')
        .onRef('vu.email', '=', 'v.email'),
    )
    .select('v.user_id')
    .where('v.account_id', '=', accountId)
    .where('v.user_id', '=', userId)
    .as('verified_user_id')
}
