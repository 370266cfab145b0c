import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { UserKey } from '../../users/store.ts'

/**
 * Makes the step that leaves out those of a person's addresses that another user has by now: what is stored under such an
 * address alone, its counts and codes, is the other user's.
 */
export function createLeaveTaken(db: Db) {
  const selectTaken = db.statement<UserKey & { emails: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('email')
      .where('account_id', '=', value('accountId'))
      .where('id', '<>', value('userId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('email'),
          of.selectFrom(db.features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      ),
  )

  return function* leaveTaken(user: UserKey, emails: readonly string[]): Transaction<string[]> {
    const rows = yield* run(selectTaken, { ...user, emails: JSON.stringify(emails) })
    const taken = new Set(rows.map(({ email }) => email))
    return emails.filter((email) => !taken.has(email))
  }
}
