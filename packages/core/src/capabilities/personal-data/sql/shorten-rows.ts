import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { repeatInParts } from '../../../sql/repeat-in-parts.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { UserKey } from '../../users/store.ts'
import { createLeaveTaken } from './leave-taken.ts'
import { toTypedPersons } from './person-events.ts'
import { createUntiedRows } from './untied-rows.ts'

/** How many former addresses one transaction removes: each is searched for in events and counts. */
const emailsAtOnce = 10
/** How many stored responses one statement deletes */
const repliesAtOnce = 100

/** What identifies a stored response in its account */
interface ReplyName {
  operation: string
  key: string
}

/** How many rows were deleted, by table */
export interface EarlyRows {
  clientele_former_emails: number
  clientele_replies: number
  clientele_rate_limits: number
  clientele_sign_in_codes: number
}

/**
 * Removes former addresses and stored responses of a user in parts, up to a few that the erasure itself removes: callers
 * can cause any number of them, and one transaction for all of them would block other requests. If the erasure is
 * interrupted here and repeated, it finds the rest.
 */
export function createShortenRows(
  db: Db,
): (user: UserKey, countKeysOf: (emails: readonly string[]) => string[]) => Promise<EarlyRows> {
  const untied = createUntiedRows(db)
  const leaveTaken = createLeaveTaken(db)
  const selectSurplus = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_former_emails')
      .select('email')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .orderBy('email')
      .limit(sql.lit(emailsAtOnce))
      .offset(sql.lit(emailsAtOnce)),
  )
  const deleteEmails = db.statement<UserKey & { emails: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_former_emails')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('email'),
          of.selectFrom(db.features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      )
      .returning('email'),
  )
  const selectReplies = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_replies')
      .select(['operation', 'key'])
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .limit(sql.lit(repliesAtOnce))
      .offset(sql.lit(repliesAtOnce))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const deleteReplies = db.statement<{ accountId: string; names: string }>()((queries, value) => {
    const named = queries
      .selectFrom(
        db.features
          .recordsOfJsonArray<ReplyName>(value('names'), {
            operation: 'sortedText',
            key: 'sortedText',
          })
          .as('r'),
      )
      .select(['r.operation', 'r.key'])
    return queries
      .deleteFrom('clientele_replies')
      .where('account_id', '=', value('accountId'))
      .where(sql<boolean>`(operation, key) in (${named})`)
      .returning('key')
  })

  /** By their keys: by the user each part would look at all of the user's responses. They are locked, as found. */
  function* removeReplies(user: UserKey): Transaction<number> {
    const found = yield* run(selectReplies, user)
    if (found.length === 0) return 0
    const names = JSON.stringify(found)
    return (yield* run(deleteReplies, { accountId: user.accountId, names })).length
  }

  function* removeSome(
    user: UserKey,
    countKeysOf: (emails: readonly string[]) => string[],
  ): Transaction<{ emails: number; counts: number; codes: number }> {
    const { accountId } = user
    const emails = (yield* run(selectSurplus, user)).map(({ email }) => email)
    if (emails.length === 0) return { emails: 0, counts: 0, codes: 0 }
    const own = yield* leaveTaken(user, emails)
    yield* untied.emptyTyped(user, toTypedPersons(emails))
    const counts = yield* untied.deleteCounts(accountId, countKeysOf(own))
    const codes = yield* untied.deleteCodes(user, own)
    const deleted = yield* run(deleteEmails, { ...user, emails: JSON.stringify(emails) })
    return { emails: deleted.length, counts, codes }
  }

  return async (user, countKeysOf) => {
    let counted = 0
    let codes = 0
    const emails = await repeatInParts(db, emailsAtOnce, async () => {
      const removed = await db.transact(() => removeSome(user, countKeysOf))
      counted += removed.counts
      codes += removed.codes
      return removed.emails
    })
    const replies = await repeatInParts(db, repliesAtOnce, () =>
      db.transact(() => removeReplies(user)),
    )
    return {
      clientele_former_emails: emails,
      clientele_replies: replies,
      clientele_rate_limits: counted,
      clientele_sign_in_codes: codes,
    }
  }
}
