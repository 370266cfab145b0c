import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy } from '../../../sql/effects.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { answered } from '../../sessions/sql/lock-if-shown.ts'
import { selectFactor } from '../../users/sql/factor-user-id.ts'
import { createLockUser } from '../../users/sql/lock-user.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { UserKey } from '../../users/store.ts'
import type { MfaStore } from '../store.ts'
import { createAnswer } from './challenge-queries.ts'
import { type FactorEffect, factorColumns, factorKey } from './factor-effect.ts'

export function createRecoveryCodeQueries(
  db: Db,
): Pick<MfaStore, 'replaceRecoveryCodes' | 'useRecoveryCode'> {
  return {
    replaceRecoveryCodes: replaceRecoveryCodes(db),
    useRecoveryCode: useRecoveryCode(db),
  }
}

function replaceRecoveryCodes(db: Db): MfaStore['replaceRecoveryCodes'] {
  /** Concurrent calls run one after the other: each waits for the factor's row. */
  const replaceCodes = writeWithEffects<UserKey & { hashes: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_mfa_factors')
        .set((of) => ({ email_enabled: of.ref('email_enabled') }))
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where((of) =>
          of.or([
            of('totp_confirmed_at', 'is not', null),
            of('email_enabled', '=', sql.lit(true)),
            of.exists(
              of
                .selectFrom('clientele_passkeys as p')
                .select('p.id')
                .where('p.account_id', '=', value('accountId'))
                .where('p.user_id', '=', value('userId'))
                .where('p.use', '=', 'second_factor'),
            ),
          ]),
        )
        .$call(withUserLocked(db, value))
        .returning(factorKey),
    [deleteCodes(db), insertCodes(db), recordEvent(db)],
    { columns: factorColumns, seesLatest: true },
  )

  return async (accountId, userId, codes, event) => {
    const input = { accountId, userId, hashes: JSON.stringify(codes) }
    return (await replaceCodes.execute({ ...eventValues(event), ...input })) !== undefined
  }
}

function useRecoveryCode(db: Db): MfaStore['useRecoveryCode'] {
  const useCode = db.statement<UserKey & { hash: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('hash', '=', value('hash'))
      .where((of) => of.exists(selectFactor(value('accountId'), value('userId'), true)))
      .returning('user_id'),
  )
  /** Serialises concurrent answers to one challenge. */
  const lockChallenge = db.statement<UserKey & { challengeHash: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_challenges')
      .select('hash')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('challengeHash'))
      .where('user_id', '=', value('userId'))
      .where('tries_left', '>', sql.lit(answered))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const lockUser = createLockUser(db)
  const answer = createAnswer(db)

  return (accountId, userId, hash, challengeHash) =>
    db.transact(function* (): Transaction<'used' | 'wrong' | 'challenge_invalid'> {
      // A first proof of the address, which locks the user, too, deletes codes and challenges in another order.
      yield* run(lockUser, { accountId, userId })
      const challenge = challengeHash === null ? null : { accountId, userId, challengeHash }
      const [found] = challenge === null ? [challenge] : yield* run(lockChallenge, challenge)
      if (found === undefined) return 'challenge_invalid'
      const [used] = yield* run(useCode, { accountId, userId, hash })
      if (used === undefined) return 'wrong'
      if (challenge !== null) yield* run(answer, { accountId, hash: challenge.challengeHash })
      return 'used'
    })
}

export function deleteCodes(db: Db): FactorEffect<object> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('user_id'))
}

export function insertCodes(db: Db): FactorEffect<{ hashes: string }> {
  const { features } = db
  return (queries, value) =>
    queries
      .insertInto('clientele_recovery_codes')
      .columns(['account_id', 'user_id', 'hash'])
      .expression((of) =>
        of
          .selectFrom(['changed', features.textsOfJsonArray(value('hashes')).as('h')])
          .select([
            db.typed(value('accountId'), 'id').as('account_id'),
            'changed.user_id',
            'h.value as hash',
          ]),
      )
}
