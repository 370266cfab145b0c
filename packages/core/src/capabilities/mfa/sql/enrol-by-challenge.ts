import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { deleteChallenges } from '../../users/sql/delete-challenges.ts'
import type { UserKey } from '../../users/store.ts'
import type { MfaStore } from '../store.ts'
import { deleteDevices } from './delete-devices.ts'
import { factorColumns, factorKey } from './factor-effect.ts'
import { deleteCodes, insertCodes } from './recovery-code-queries.ts'

/** The factor cannot be enrolled: the challenge stays as it was. */
class NotEnrolled extends Rollback {}

type Enrolment = UserKey & { at: number; hashes: string } & EventValues

export function enrolByChallenge(db: Db): MfaStore['enrolByChallenge'] {
  /** What ends the challenge locks the user first: it comes before or after, as a whole. */
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .where('is_active', '=', true)
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const endChallenge = db.statement<UserKey & { hash: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('user_id', '=', value('userId'))
      .returning('hash'),
  )
  const selectPasskey = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_passkeys')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('use', '=', 'second_factor')
      .limit(sql.lit(1)),
  )
  const enrolTotp = createEnrolTotp(db, false)
  const enrolTotpBesideEmail = createEnrolTotp(db, true)
  const enrolEmail = writeWithEffects<Enrolment>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_mfa_factors')
        .values({
          account_id: value('accountId'),
          user_id: value('userId'),
          email_enabled: sql.lit(true),
          changed_by: value('eventId'),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'user_id'])
            .doUpdateSet((of) => ({
              email_enabled: of.ref('excluded.email_enabled'),
              changed_by: of.ref('excluded.changed_by'),
            }))
            .where('clientele_mfa_factors.email_enabled', '=', sql.lit(false))
            .where('clientele_mfa_factors.totp_confirmed_at', 'is', null),
        )
        .returning(factorKey),
    createEnrolmentEffects(db),
    { columns: factorColumns, seesLatest: true },
  )

  return async (accountId, { hash, userId, isByMail }, factor, at, codes, event) => {
    const key = { accountId, userId }
    const input = { ...eventValues(event), ...key, at, hashes: JSON.stringify(codes) }
    try {
      return await db.transact(function* (): Transaction<boolean> {
        const [user] = yield* run(lockUser, key)
        const ended = user && (yield* run(endChallenge, { ...key, hash }))
        if (ended === undefined || ended.length === 0) return false
        const passkeys = yield* run(selectPasskey, key)
        if (passkeys.length > 0) throw new NotEnrolled('The user has a second factor.')
        const rows =
          factor.method === 'totp'
            ? yield* (isByMail ? enrolTotpBesideEmail : enrolTotp).run({ ...input, ...factor })
            : yield* enrolEmail.run(input)
        if (rows.length === 0) throw new NotEnrolled('The user has a second factor.')
        return true
      })
    } catch (error) {
      if (error instanceof NotEnrolled) return false
      throw error
    }
  }
}

/** What follows from an enrolled factor. Waiting sign-ins end with the change; one that is answered by it has ended before. */
export function createEnrolmentEffects(db: Db) {
  const factors = [deleteCodes(db), insertCodes(db), deleteDevices(db), deleteChallenges(db)]
  return [...factors, recordEvent(db)]
}

/** Two statements: Citus refuses a parameter that a server's plan does without. */
function createEnrolTotp(db: Db, besideEmail: boolean) {
  return writeWithEffects<Enrolment & { encryptedSecret: string; step: number }>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_mfa_factors')
        .set({
          totp_confirmed_at: value('at'),
          totp_last_step: value('step'),
          changed_by: value('eventId'),
        })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('encrypted_totp_secret', '=', value('encryptedSecret'))
        .where('totp_confirmed_at', 'is', null)
        // After a mailed code, codes by e-mail count as no second factor.
        .$if(!besideEmail, (changed) => changed.where('email_enabled', '=', sql.lit(false)))
        .returning(factorKey),
    createEnrolmentEffects(db),
    { columns: factorColumns, seesLatest: true },
  )
}
