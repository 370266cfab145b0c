import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createLockUser } from '../../users/sql/lock-user.ts'
import type { UserKey } from '../../users/store.ts'
import type { ShownCredential, ShownDevice } from '../store.ts'

/** The tries that are left of a challenge which was answered rightly: it waits for nothing but its session. */
export const answered = -1

/**
 * Makes the part of a transaction that locks a user, and tells whether the user still has the credential that was shown.
 * Whoever ends the user's sessions or waiting sign-ins after the credential was removed waits, and ends what follows, too.
 */
export function createLockIfShown(db: Db) {
  const lockUser = createLockUser(db)
  const selectPasskey = db.statement<UserKey & { passkeyId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_passkeys')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('passkeyId')),
  )
  const selectIdentity = db.statement<
    UserKey & { identityId: string; issuerId: string; issuerUpdatedAt: number }
  >()((queries, value) =>
    queries
      .selectFrom('clientele_identities as i')
      .innerJoin('clientele_trusted_issuers as t', (join) =>
        join
          .on('t.account_id', '=', value('accountId'))
          .on('t.id', '=', value('issuerId'))
          .on('t.sign_in', '=', true)
          // With other keys or another audience, the token might be refused.
          .on('t.updated_at', '=', value('issuerUpdatedAt')),
      )
      .select('i.id')
      .where('i.account_id', '=', value('accountId'))
      .where('i.user_id', '=', value('userId'))
      .where('i.id', '=', value('identityId')),
  )
  const selectDevice = db.statement<UserKey & ShownDevice>()((queries, value) =>
    queries
      .selectFrom('clientele_devices')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('deviceId'))
      .where('token_hash', '=', value('tokenHash')),
  )
  const selectAnswered = db.statement<UserKey & { challengeHash: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_challenges')
      .select('hash')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('challengeHash'))
      .where('user_id', '=', value('userId'))
      .where('tries_left', '=', sql.lit(answered)),
  )

  return function* lockIfShown(
    accountId: string,
    userId: string,
    shown: ShownCredential,
  ): Transaction<boolean> {
    const user = { accountId, userId }
    yield* run(lockUser, user)
    if ('challengeHash' in shown)
      return (yield* run(selectAnswered, { ...user, ...shown })).length > 0
    if ('passkeyId' in shown)
      return (yield* run(selectPasskey, { ...user, passkeyId: shown.passkeyId })).length > 0
    if ('deviceId' in shown) return (yield* run(selectDevice, { ...user, ...shown })).length > 0
    return (yield* run(selectIdentity, { ...user, ...shown })).length > 0
  }
}

/** Makes the part of a transaction that uses up an answered challenge, or a device's token, once what it is shown for is written. */
export function createUseUpShown(db: Db) {
  const deleteAnswered = db.statement<{ accountId: string; challengeHash: string }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_challenges')
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('challengeHash')),
  )
  const rotateDevice = db.statement<UserKey & ShownDevice>()((queries, value) =>
    queries
      .updateTable('clientele_devices')
      .set({ token_hash: value('nextHash'), last_used_at: value('usedAt') })
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('deviceId'))
      .where('token_hash', '=', value('tokenHash')),
  )

  return function* useUpShown(
    accountId: string,
    userId: string,
    shown: ShownCredential,
  ): Transaction<void> {
    if ('challengeHash' in shown) yield* run(deleteAnswered, { accountId, ...shown })
    if ('deviceId' in shown) yield* run(rotateDevice, { accountId, userId, ...shown })
  }
}
