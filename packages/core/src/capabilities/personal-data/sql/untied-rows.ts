import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { UserKey } from '../../users/store.ts'
import { hasTypedEmail, isTypedBy } from './person-events.ts'
import { emptied } from './register.ts'

/** Removes what is stored under an address of a user, and not under another user. */
export interface UntiedRows {
  /** Empties events by typed addresses: an address may have had no user then */
  emptyTyped(user: UserKey, persons: string): Transaction<void>
  /** Deletes the counts under these keys; returns how many there were. */
  deleteCounts(accountId: string, keys: readonly string[]): Transaction<number>
  /** Deletes the mailed codes of these addresses; returns how many there were. */
  deleteCodes(user: UserKey, emails: readonly string[]): Transaction<number>
}

export function createUntiedRows(db: Db): UntiedRows {
  const emptyTypedEvents = db.statement<UserKey & { persons: string }>()((queries, value) =>
    queries
      .updateTable('clientele_events')
      .set(emptied)
      .where('account_id', '=', value('accountId'))
      .where(hasTypedEmail)
      .where((of) => isTypedBy(db, of, value('persons')))
      // Written so that only the index of addresses fits, as where events are read for an export.
      .where(sql<boolean>`coalesce(subject_id, '') in ('', ${value('userId')})`),
  )
  const deleteAttempts = db.statement<{ accountId: string; keys: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_rate_limits')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('key'),
          of.selectFrom(db.features.textsOfJsonArray(value('keys')).as('k')).select('k.value'),
        ),
      )
      .returning('key'),
  )

  const deleteMailed = db.statement<UserKey & { emails: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sign_in_codes')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('email'),
          of.selectFrom(db.features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      )
      // Written so that only the key fits: SQLite would read all codes of addresses that nobody has.
      .where(sql<boolean>`(user_id <> ${value('userId')}) is not true`)
      .returning('email'),
  )

  return {
    *emptyTyped(user, persons) {
      yield* run(emptyTypedEvents, { ...user, persons })
    },
    *deleteCounts(accountId, keys) {
      return (yield* run(deleteAttempts, { accountId, keys: JSON.stringify(keys) })).length
    },
    *deleteCodes(user, emails) {
      return (yield* run(deleteMailed, { ...user, emails: JSON.stringify(emails) })).length
    },
  }
}
