import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { repeatInParts } from '../../../sql/repeat-in-parts.ts'
import type { UserKey } from '../store.ts'
import { selectExpected } from './user-values.ts'

/** How many former addresses one statement deletes at most */
const emailsAtOnce = 500

/**
 * Makes the function that deletes a user's former addresses before the user, if there are more than are deleted with
 * the user: each change of the address adds one. A user of another version keeps them.
 */
export function createDeleteSurplusEmails(
  db: Db,
): (user: UserKey & { expectedVersion: number | null }) => Promise<number> {
  const deleteSurplus = db.statement<UserKey & { expectedVersion: number | null }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_former_emails')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where((of) =>
          db.features.isAmong(
            of.ref('email'),
            of
              .selectFrom('clientele_former_emails')
              .select('email')
              .where('account_id', '=', value('accountId'))
              .where('user_id', '=', value('userId'))
              .orderBy('email')
              .limit(sql.lit(emailsAtOnce))
              .offset(sql.lit(emailsAtOnce)),
          ),
        )
        .where((of) => of.exists(selectExpected(queries, value)))
        .returning('email'),
  )

  return (user) =>
    repeatInParts(db, emailsAtOnce, async () => (await db.query(deleteSurplus, user)).length)
}
