import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy } from '../../../sql/effects.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { deleteChallenges } from '../../users/sql/delete-challenges.ts'
import { createEndLeftoverCodes } from '../../users/sql/end-leftover-codes.ts'
import { createLockUser } from '../../users/sql/lock-user.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { UserKey } from '../../users/store.ts'
import type { MfaStore } from '../store.ts'
import { mostTotpStepsAhead } from '../totp.ts'
import { createChallengeQueries } from './challenge-queries.ts'
import { deleteDevices } from './delete-devices.ts'
import { createEnrolmentEffects, enrolByChallenge } from './enrol-by-challenge.ts'
import { type FactorEffect, factorColumns, factorKey } from './factor-effect.ts'
import { createRecoveryCodeQueries, deleteCodes } from './recovery-code-queries.ts'

type OutcomeOf<Name extends 'enrolTotp' | 'enableEmail'> = Awaited<ReturnType<MfaStore[Name]>>

export function createMfaStore(db: Db): MfaStore {
  return {
    ...createRecoveryCodeQueries(db),
    ...createChallengeQueries(db),
    find: findFactor(db),
    enrolTotp: enrolTotp(db),
    confirmTotp: confirmTotp(db),
    useTotpStep: useTotpStep(db),
    enableEmail: enableEmail(db),
    enrolByChallenge: enrolByChallenge(db),
    remove: removeFactor(db),
  }
}

function findFactor(db: Db): MfaStore['find'] {
  const selectFactor = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_mfa_factors as f')
      .select(['f.encrypted_totp_secret', 'f.totp_confirmed_at', 'f.email_enabled', 'f.changed_by'])
      .select((of) =>
        of
          .selectFrom('clientele_recovery_codes as r')
          .select((count) => count.fn.countAll<number>().as('left'))
          .where('r.account_id', '=', value('accountId'))
          .where('r.user_id', '=', value('userId'))
          .as('recovery_codes_left'),
      )
      .select((of) =>
        of
          .selectFrom('clientele_passkeys as p')
          .select((count) => count.fn.countAll<number>().as('passkeys'))
          .where('p.account_id', '=', value('accountId'))
          .where('p.user_id', '=', value('userId'))
          .where('p.use', '=', 'second_factor')
          .as('passkey_count'),
      )
      .where('f.account_id', '=', value('accountId'))
      .where('f.user_id', '=', value('userId')),
  )

  return async (accountId, userId) => {
    const row = await db.queryOne(selectFactor, { accountId, userId })
    return (
      row && {
        encryptedTotpSecret: row.encrypted_totp_secret,
        isTotpConfirmed: row.totp_confirmed_at !== null,
        isEmailEnabled: Boolean(row.email_enabled),
        recoveryCodesLeft: row.recovery_codes_left ?? 0,
        passkeys: row.passkey_count ?? 0,
        changedBy: row.changed_by,
      }
    )
  }
}

function enrolTotp(db: Db): MfaStore['enrolTotp'] {
  const lockUser = createLockUser(db)
  const upsertTotp = writeWithEffects<UserKey & { secret: string }>(db)((queries, value) =>
    queries
      .insertInto('clientele_mfa_factors')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        encrypted_totp_secret: value('secret'),
        email_enabled: sql.lit(false),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'user_id'])
          .doUpdateSet((of) => ({
            encrypted_totp_secret: of.ref('excluded.encrypted_totp_secret'),
          }))
          .where('clientele_mfa_factors.totp_confirmed_at', 'is', null),
      )
      .returning(factorKey),
  )

  return (accountId, userId, secret) =>
    db.transact(function* (): Transaction<OutcomeOf<'enrolTotp'>> {
      const [user] = yield* run(lockUser, { accountId, userId })
      if (user === undefined) return 'user_not_found'
      const [row] = yield* upsertTotp.run({ accountId, userId, secret })
      return row === undefined ? 'two_factor_already_enrolled' : 'enrolled'
    })
}

function confirmTotp(db: Db): MfaStore['confirmTotp'] {
  const confirm = writeWithEffects<
    UserKey & { secret: string; step: number; at: number; hashes: string } & EventValues
  >(db)(
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
        .where('encrypted_totp_secret', '=', value('secret'))
        .where('totp_confirmed_at', 'is', null)
        .$call(withUserLocked(db, value))
        .returning(factorKey),
    createEnrolmentEffects(db),
    { columns: factorColumns, seesLatest: true },
  )

  return async (accountId, userId, secret, step, at, codes, event) => {
    const input = { accountId, userId, secret, step, at, hashes: JSON.stringify(codes) }
    return (await confirm.execute({ ...eventValues(event), ...input })) !== undefined
  }
}

function useTotpStep(db: Db): MfaStore['useTotpStep'] {
  const useStep = db.statement<UserKey & { step: number; latest: number }>()((queries, value) =>
    queries
      .updateTable('clientele_mfa_factors')
      .set({ totp_last_step: value('step') })
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('totp_confirmed_at', 'is not', null)
      .where((of) =>
        of.or([
          of('totp_last_step', 'is', null),
          of('totp_last_step', '<', value('step')),
          // It was used while the clock was far ahead. By less, a used code would work again.
          of('totp_last_step', '>', value('latest')),
        ]),
      )
      .returning('user_id'),
  )

  return async (accountId, userId, step) =>
    (await db.queryOne(useStep, { accountId, userId, step, latest: step + mostTotpStepsAhead })) !==
    undefined
}

function enableEmail(db: Db): MfaStore['enableEmail'] {
  const lockUser = createLockUser(db)
  const endLeftoverCodes = createEndLeftoverCodes(db)
  const upsertEmail = writeWithEffects<UserKey & EventValues>(db)(
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
            .where('clientele_mfa_factors.email_enabled', '=', sql.lit(false)),
        )
        .returning(factorKey),
    [deleteDevices(db), deleteChallenges(db), recordEvent(db)],
    { columns: factorColumns },
  )

  return (accountId, userId, event) =>
    db.transact(function* (): Transaction<OutcomeOf<'enableEmail'>> {
      const [user] = yield* run(lockUser, { accountId, userId })
      if (user === undefined) return 'user_not_found'
      yield* run(endLeftoverCodes, { accountId, userId })
      const rows = yield* upsertEmail.run({ ...eventValues(event), accountId, userId })
      return rows.length === 0 ? 'unchanged' : 'enabled'
    })
}

function deletePasskeys(db: Db): FactorEffect<object> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_passkeys')
      .where('account_id', '=', value('accountId'))
      .where('use', '=', 'second_factor')
      // By the primary key, as in `revokeCredentials`
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_passkeys')
          .select('id')
          .where('account_id', '=', value('accountId'))
          .where('user_id', changedBy(db), (user) => user.selectFrom('changed').select('user_id')),
      )
}

function removeFactor(db: Db): MfaStore['remove'] {
  const deleteFactor = writeWithEffects<UserKey & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_mfa_factors')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .$call(withUserLocked(db, value))
        .returning(factorKey),
    [deleteCodes(db), deletePasskeys(db), deleteChallenges(db), deleteDevices(db), recordEvent(db)],
    { columns: factorColumns, seesLatest: true },
  )

  return async (accountId, userId, event) =>
    (await deleteFactor.execute({ ...eventValues(event), accountId, userId })) !== undefined
}
