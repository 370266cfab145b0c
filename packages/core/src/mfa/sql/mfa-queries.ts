import { sql } from 'kysely'
import type { SealedTotpSecret, TwoFactorRepository, UserKey } from '../../repository.ts'
import { ConstraintViolation, type Database, run, type Transaction } from '../../sql/db.ts'

/** How many secrets are encrypted again by one statement. */
const resealedAtOnce = 500

export function createTwoFactorQueries(
  database: Database,
): Omit<
  TwoFactorRepository,
  'createChallenge' | 'findChallenge' | 'tryChallenge' | 'mailChallenge' | 'endChallenge'
> {
  const { differences } = database
  const selectFactor = database.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_second_factors as f')
      .select(['f.sealed_totp_secret', 'f.totp_confirmed_at', 'f.email_enabled'])
      .select((of) =>
        of
          .selectFrom('clientele_recovery_codes as r')
          .select((count) => count.fn.countAll<number>().as('left'))
          .where('r.account_id', '=', value('accountId'))
          .where('r.user_id', '=', value('userId'))
          .as('recovery_codes_left'),
      )
      .where('f.account_id', '=', value('accountId'))
      .where('f.user_id', '=', value('userId')),
  )
  const upsertTotp = database.statement<UserKey & { secret: string }>()((queries, value) =>
    queries
      .insertInto('clientele_second_factors')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        sealed_totp_secret: value('secret'),
        email_enabled: sql.lit(false),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'user_id'])
          .doUpdateSet((of) => ({ sealed_totp_secret: of.ref('excluded.sealed_totp_secret') }))
          .where('clientele_second_factors.totp_confirmed_at', 'is', null),
      )
      .returning('user_id'),
  )
  const confirm = database.statement<UserKey & { secret: string; step: number; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_second_factors')
        .set({ totp_confirmed_at: value('at'), totp_last_step: value('step') })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('sealed_totp_secret', '=', value('secret'))
        .where('totp_confirmed_at', 'is', null)
        .returning('user_id'),
  )
  const useStep = database.statement<UserKey & { step: number }>()((queries, value) =>
    queries
      .updateTable('clientele_second_factors')
      .set({ totp_last_step: value('step') })
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('totp_confirmed_at', 'is not', null)
      .where((of) =>
        of.or([of('totp_last_step', 'is', null), of('totp_last_step', '<', value('step'))]),
      )
      .returning('user_id'),
  )
  const selectSealed = database.statement<UserKey & { prefix: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_second_factors')
      .select(['account_id as accountId', 'user_id as userId', 'sealed_totp_secret as sealed'])
      .where('sealed_totp_secret', 'is not', null)
      .$narrowType<{ sealed: string }>()
      .where(
        (of) =>
          of.fn('substr', [
            'sealed_totp_secret',
            sql.lit(1),
            sql`length(${database.typed(value('prefix'), 'text')})`,
          ]),
        '!=',
        value('prefix'),
      )
      .where((of) =>
        of(
          of.refTuple('account_id', 'user_id'),
          '>',
          of.tuple(database.typed(value('accountId'), 'id'), database.typed(value('userId'), 'id')),
        ),
      )
      .orderBy('account_id')
      .orderBy('user_id')
      .limit(sql.lit(resealedAtOnce)),
  )
  const reseal = database.statement<{ secrets: string }>()((queries, value) =>
    queries
      .updateTable('clientele_second_factors')
      .from(
        differences
          .recordsOfJsonArray<SealedTotpSecret & { resealed: string }>(value('secrets'), {
            accountId: 'id',
            userId: 'id',
            sealed: 'text',
            resealed: 'text',
          })
          .as('r'),
      )
      .set((of) => ({ sealed_totp_secret: of.ref('r.resealed') }))
      .whereRef('clientele_second_factors.account_id', '=', 'r.accountId')
      .whereRef('clientele_second_factors.user_id', '=', 'r.userId')
      .whereRef('clientele_second_factors.sealed_totp_secret', '=', 'r.sealed'),
  )
  const enableEmail = database.statement<UserKey>()((queries, value) =>
    queries
      .insertInto('clientele_second_factors')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        email_enabled: sql.lit(true),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'user_id'])
          .doUpdateSet((of) => ({ email_enabled: of.ref('excluded.email_enabled') }))
          .where('clientele_second_factors.email_enabled', '=', sql.lit(false)),
      )
      .returning('user_id'),
  )
  const lockFactor = database.statement<UserKey>()((queries, value) =>
    queries
      .updateTable('clientele_second_factors')
      .set((of) => ({ email_enabled: of.ref('email_enabled') }))
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) =>
        of.or([of('totp_confirmed_at', 'is not', null), of('email_enabled', '=', sql.lit(true))]),
      )
      .returning('user_id'),
  )
  const deleteCodes = database.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )
  const insertCodes = database.statement<UserKey & { hashes: string }>()((queries, value) =>
    queries
      .insertInto('clientele_recovery_codes')
      .columns(['account_id', 'user_id', 'hash'])
      .expression((of) =>
        of
          .selectFrom(differences.textsOfJsonArray(value('hashes')).as('h'))
          .select([
            database.typed(value('accountId'), 'id').as('account_id'),
            database.typed(value('userId'), 'id').as('user_id'),
            'h.value as hash',
          ]),
      ),
  )
  const useCode = database.statement<UserKey & { hash: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('hash', '=', value('hash'))
      .returning('user_id'),
  )
  const deleteChallenges = database.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId')),
  )
  const deleteFactor = database.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_second_factors')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('user_id'),
  )

  return {
    findSecondFactor: async (accountId, userId) => {
      const row = await database.queryOne(selectFactor, { accountId, userId })
      return (
        row && {
          sealedTotpSecret: row.sealed_totp_secret,
          isTotpConfirmed: row.totp_confirmed_at !== null,
          isEmailEnabled: Boolean(row.email_enabled),
          recoveryCodesLeft: row.recovery_codes_left ?? 0,
        }
      )
    },
    enrolTotp: async (accountId, userId, secret) => {
      try {
        const row = await database.queryOne(upsertTotp, { accountId, userId, secret })
        return row === undefined ? 'two_factor_already_enrolled' : 'enrolled'
      } catch (error) {
        if (isForeignKeyViolation(error)) return 'user_not_found'
        throw error
      }
    },
    confirmTotp: (accountId, userId, secret, step, at, hashes) =>
      database.transact(function* (): Transaction<boolean> {
        const [row] = yield* run(confirm, { accountId, userId, secret, step, at })
        if (row === undefined) return false
        yield* run(deleteCodes, { accountId, userId })
        yield* run(insertCodes, { accountId, userId, hashes: JSON.stringify(hashes) })
        return true
      }),
    useTotpStep: async (accountId, userId, step) =>
      (await database.queryOne(useStep, { accountId, userId, step })) !== undefined,
    listSealedTotpSecrets: (after, prefix) => database.query(selectSealed, { ...after, prefix }),
    resealTotpSecrets: async (secrets) => {
      await database.query(reseal, { secrets: JSON.stringify(secrets) })
    },
    enableEmailFactor: async (accountId, userId) => {
      try {
        const row = await database.queryOne(enableEmail, { accountId, userId })
        return row === undefined ? 'unchanged' : 'enabled'
      } catch (error) {
        if (isForeignKeyViolation(error)) return 'user_not_found'
        throw error
      }
    },
    replaceRecoveryCodes: (accountId, userId, hashes) =>
      database.transact(function* (): Transaction<boolean> {
        // Two replacements at once come one after the other.
        const [row] = yield* run(lockFactor, { accountId, userId })
        if (row === undefined) return false
        yield* run(deleteCodes, { accountId, userId })
        yield* run(insertCodes, { accountId, userId, hashes: JSON.stringify(hashes) })
        return true
      }),
    useRecoveryCode: async (accountId, userId, hash) =>
      (await database.queryOne(useCode, { accountId, userId, hash })) !== undefined,
    removeSecondFactors: (accountId, userId) =>
      database.transact(function* (): Transaction<boolean> {
        const [row] = yield* run(deleteFactor, { accountId, userId })
        yield* run(deleteCodes, { accountId, userId })
        yield* run(deleteChallenges, { accountId, userId })
        return row !== undefined
      }),
  }
}

function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.kind === 'foreign_key'
}
