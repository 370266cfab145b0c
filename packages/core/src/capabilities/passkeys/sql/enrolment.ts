import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import { createEndChallenges } from '../../users/sql/end-challenges.ts'
import { createEndLeftoverCodes } from '../../users/sql/end-leftover-codes.ts'
import type { UserKey } from '../../users/store.ts'
import type { EnrolmentOutcome, PasskeyStore } from '../store.ts'
import { newPasskeys } from './passkey-rows.ts'

type NewRow = ReturnType<typeof newPasskeys.toValues> & { accountId: string }

export function createEnrolment(db: Db): PasskeyStore['enrol'] {
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('tokens_not_before')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  /**
   * The same, if the session still lives. The session is locked, too: it ends either before the enrolment, which then
   * fails, or after it.
   */
  const lockUserInSession = db.statement<UserKey & { sessionId: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .innerJoin('clientele_sessions as s', (join) =>
          join.onRef('s.account_id', '=', 'u.account_id').onRef('s.user_id', '=', 'u.id'),
        )
        .select('u.tokens_not_before')
        .where('u.account_id', '=', value('accountId'))
        .where('u.id', '=', value('userId'))
        .where('s.account_id', '=', value('accountId'))
        .where('s.id', '=', value('sessionId'))
        .where('s.expires_at', '>', value('now'))
        .$if(db.features.hasConcurrentWriters, (locked) =>
          // A refresh, which changes no key, need not wait.
          locked.forNoKeyUpdate('u').forKeyShare('s'),
        ),
  )
  const selectIds = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_passkeys')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )
  /** Returns no row when the account already has the credential. */
  const insertPasskey = db.statement<NewRow>()((queries, value) =>
    queries
      .insertInto('clientele_passkeys')
      .values({
        account_id: value('accountId'),
        ...newPasskeys.assign(value),
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'credential_id']).doNothing())
      .returning('id'),
  )
  /** The row with which a look-up of a user's MFA factors begins: without it passkeys are not found. */
  const noteChange = db.statement<UserKey & { eventId: string }>()((queries, value) =>
    queries
      .insertInto('clientele_mfa_factors')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        email_enabled: sql.lit(false),
        changed_by: value('eventId'),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'user_id'])
          .doUpdateSet((of) => ({ changed_by: of.ref('excluded.changed_by') })),
      ),
  )
  /** Remembered devices stand for the second factors that there were. */
  const deleteDevices = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_devices')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )
  const endLeftoverCodes = createEndLeftoverCodes(db)
  const endChallenges = createEndChallenges(db)
  const appendEvent = createAppendEvent(db)

  return (accountId, passkey, { maximum, tokensNotBefore, session, event }) =>
    db.transact(function* (): Transaction<EnrolmentOutcome> {
      const key = { accountId, userId: passkey.userId }
      // Locks the user, so that concurrent enrolments count each other.
      const [user] =
        session === undefined
          ? yield* run(lockUser, key)
          : yield* run(lockUserInSession, { ...key, sessionId: session.id, now: session.now })
      if (user === undefined) return session === undefined ? 'user_not_found' : 'challenge_invalid'
      if (user.tokens_not_before !== tokensNotBefore) return 'challenge_invalid'
      const held = yield* run(selectIds, key)
      if (held.length >= maximum) return 'passkey_limit_reached'
      if (passkey.use === 'second_factor') yield* run(endLeftoverCodes, key)
      const [inserted] = yield* run(insertPasskey, { accountId, ...newPasskeys.toValues(passkey) })
      if (inserted === undefined) return 'passkey_taken'
      if (passkey.use === 'second_factor') {
        yield* run(noteChange, { ...key, eventId: event.id })
        yield* run(deleteDevices, key)
        yield* run(endChallenges, key)
      }
      yield* run(appendEvent, { ...eventValues(event), accountId })
      return 'enrolled'
    })
}
