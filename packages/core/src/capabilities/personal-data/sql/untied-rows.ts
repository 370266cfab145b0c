import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { hasTypedEmail, isTypedBy } from './person-events.ts'
import { emptied } from './register.ts'

/** Removes what is stored under an address, and not under a user. */
export interface UntiedRows {
  /** Empties events by typed addresses, for any user: an address may have had no user then, or may have another user now */
  emptyTyped(accountId: string, persons: string): Transaction<void>
  /** Deletes the counts under these keys; returns how many there were. */
  deleteCounts(accountId: string, keys: readonly string[]): Transaction<number>
  /** Deletes the mailed codes of these addresses; returns how many there were. */
  deleteCodes(accountId: string, emails: readonly string[]): Transaction<number>
}

export function createUntiedRows(db: Db): UntiedRows {
  const emptyTypedEvents = db.statement<{ accountId: string; persons: string }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_events')
        .set(emptied)
        .where('account_id', '=', value('accountId'))
        .where(hasTypedEmail)
        .where((of) => isTypedBy(db, of, value('persons'))),
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

  const deleteMailed = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sign_in_codes')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('email'),
          of.selectFrom(db.features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      )
      .returning('email'),
  )

  return {
    *emptyTyped(accountId, persons) {
      yield* run(emptyTypedEvents, { accountId, persons })
    },
    *deleteCounts(accountId, keys) {
      return (yield* run(deleteAttempts, { accountId, keys: JSON.stringify(keys) })).length
    },
    *deleteCodes(accountId, emails) {
      return (yield* run(deleteMailed, { accountId, emails: JSON.stringify(emails) })).length
    },
  }
}
