import { sql } from 'kysely'
import type { Db } from '../../sql/db.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import { expiredMark } from '../passwords/expired-hash.ts'
import { createLockUser } from '../users/sql/lock-user.ts'
import { createSetPassword } from '../users/sql/set-password.ts'
import { toVersionedUser } from '../users/sql/user-rows.ts'
import {
  hasVersion,
  type WrittenUserRow,
  writtenUserColumns,
  writtenUserKinds,
} from '../users/sql/user-values.ts'
import type { UserKey } from '../users/store.ts'
import type { ExpiredPasswordStore, PasswordChange } from './store.ts'

export function createExpiredPasswordStore(db: Db): ExpiredPasswordStore {
  return { expire: expirePassword(db), change: changePassword(db) }
}

/** Makes the write that marks a user's password as expired, with its event. */
export function createExpirePassword(db: Db) {
  const mark = sql.lit(expiredMark)
  return writeWithEffects<UserKey & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set({ password_hash: sql<string>`${mark} || password_hash` })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .where('password_hash', 'not like', sql<string>`${mark} || '%'`)
        .returning(writtenUserColumns),
    [recordEvent(db, { person: 'changed' })],
    { columns: writtenUserKinds },
  )
}

function expirePassword(db: Db): ExpiredPasswordStore['expire'] {
  const expire = createExpirePassword(db)

  return async (accountId, userId, event) => {
    const row = await expire.execute({ ...eventValues(event), accountId, userId })
    return row && toVersionedUser(row)
  }
}

function changePassword(db: Db): ExpiredPasswordStore['change'] {
  const lockUser = createLockUser(db)
  type Proof = Pick<PasswordChange, 'expiredHash' | 'challengeHash'> & { version: number | null }
  const change = createSetPassword<Proof>(db, (of, value) =>
    of.and([
      of('is_active', '=', true),
      of('password_hash', '=', value('expiredHash')),
      hasVersion(value('version')),
      of.exists(
        of
          .selectFrom('clientele_challenges as c')
          .select('c.hash')
          .where('c.account_id', '=', value('accountId'))
          .where('c.hash', '=', value('challengeHash'))
          .where('c.user_id', '=', value('userId')),
      ),
    ]),
  )

  return async (accountId, { version = null, ...given }, now, event) => {
    const input = { ...eventValues(event), accountId, ...given, version, now, keepSessionId: null }
    const [row] = await db.transact(function* (): Transaction<WrittenUserRow[]> {
      // First: who waits in the change for what ends the challenge would still see it.
      yield* run(lockUser, { accountId, userId: given.userId })
      return yield* change.run(input)
    })
    return row && toVersionedUser(row)
  }
}
