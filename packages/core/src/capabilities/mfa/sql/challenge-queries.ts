import { sql } from 'kysely'
import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { createEndSurplus } from '../../../sql/end-surplus.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { readPolicy } from '../../accounts/account-policy.ts'
import { isByMail } from '../../accounts/sign-in-methods.ts'
import { accountPolicy } from '../../accounts/sql/account-policy.ts'
import { expectedNotBefore } from '../../sessions/sql/expected-not-before.ts'
import { answered, createLockIfShown, createUseUpShown } from '../../sessions/sql/lock-if-shown.ts'
import { factorUserId, otherFactorUserId } from '../../users/sql/factor-user-id.ts'
import { verifiedUserId } from '../../users/sql/verified-emails.ts'
import { challengeTtlSeconds } from '../challenge-life.ts'
import type { MfaStore } from '../store.ts'

interface ChallengeKey {
  accountId: string
  hash: string
}

export function createChallengeQueries(
  db: Db,
): Pick<
  MfaStore,
  'createChallenge' | 'findChallenge' | 'tryChallenge' | 'mailChallenge' | 'answerChallenge'
> {
  return {
    createChallenge: createChallenge(db),
    findChallenge: findChallenge(db),
    tryChallenge: tryChallenge(db),
    mailChallenge: mailChallenge(db),
    answerChallenge: answerChallenge(db),
  }
}

function createChallenge(db: Db): MfaStore['createChallenge'] {
  const endSurplus = createEndSurplus(db, 'clientele_challenges')
  const insertChallenge = db.statement<
    ChallengeKey & {
      userId: string
      amr: string
      passwordHash: string | null
      tokensNotBefore: number | null
      tries: number
      mails: number
      expiresAt: number
    }
  >()((queries, value) =>
    queries
      .insertInto('clientele_challenges')
      .columns([
        'account_id',
        'hash',
        'user_id',
        'amr',
        'password_hash',
        'tries_left',
        'mails_left',
        'expires_at',
      ])
      .expression((of) =>
        of
          .selectFrom('clientele_users')
          .select([
            db.typed(value('accountId'), 'id').as('account_id'),
            db.typed(value('hash'), 'sortedText').as('hash'),
            'id as user_id',
            db.typed(value('amr'), 'json').as('amr'),
            'password_hash',
            db.typed(value('tries'), 'counter').as('tries_left'),
            db.typed(value('mails'), 'counter').as('mails_left'),
            db.typed(value('expiresAt'), 'time').as('expires_at'),
          ])
          .where('account_id', '=', value('accountId'))
          .where('id', '=', value('userId'))
          .where('is_active', '=', true)
          .where('password_hash', 'is not distinct from', value('passwordHash'))
          .where('tokens_not_before', '=', expectedNotBefore(db, value('tokensNotBefore')))
          // As in `createSession`: a concurrent change of the user comes before or after.
          .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
      )
      .returning('hash'),
  )

  const lockIfShown = createLockIfShown(db)
  const useUpShown = createUseUpShown(db)

  return async (accountId, { tokensNotBefore = null, shown, ...challenge }) => {
    const amr = JSON.stringify(challenge.amr)
    const input = { accountId, ...challenge, tokensNotBefore, amr }
    const isCreated =
      shown === undefined
        ? (await db.queryOne(insertChallenge, input)) !== undefined
        : await db.transact(function* (): Transaction<boolean> {
            if (!(yield* lockIfShown(accountId, challenge.userId, shown))) return false
            if ((yield* run(insertChallenge, input)).length === 0) return false
            yield* useUpShown(accountId, challenge.userId, shown)
            return true
          })
    if (isCreated) await endSurplus(accountId, challenge.userId, challenge.expiresAt)
    return isCreated
  }
}

/** The ends of challenges that are valid */
function validAt(now: number) {
  return { now, latest: latestEnd(now, challengeTtlSeconds * 1000) }
}

function findChallenge(db: Db): MfaStore['findChallenge'] {
  const selectChallenge = db.statement<ChallengeKey & { now: number; latest: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_challenges')
        .select(['user_id', 'expires_at', 'amr'])
        .select((of) => [
          accountPolicy(value('accountId')),
          verifiedUserId(value('accountId'), of.ref('clientele_challenges.user_id')),
          factorUserId(value('accountId'), of.ref('clientele_challenges.user_id')),
          otherFactorUserId(value('accountId'), of.ref('clientele_challenges.user_id')),
        ])
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest'))
        .where('tries_left', '>', 0),
  )

  return async (accountId, hash, now) => {
    const row = await db.queryOne(selectChallenge, { accountId, hash, ...validAt(now) })
    if (row === undefined) return undefined
    const amr = toAmr(row.amr)
    const factor = isByMail(amr) ? row.other_factor_user_id : row.factor_user_id
    return {
      userId: row.user_id,
      expiresAt: row.expires_at,
      amr,
      policy: readPolicy(row.account_policy),
      isEmailVerified: row.verified_user_id !== null,
      hasFactor: factor !== null,
    }
  }
}

function tryChallenge(db: Db): MfaStore['tryChallenge'] {
  const takeTry = db.statement<ChallengeKey & { now: number; latest: number }>()((queries, value) =>
    queries
      .updateTable('clientele_challenges')
      .set((of) => ({ tries_left: of('tries_left', '-', 1) }))
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest'))
      .where('tries_left', '>', 0)
      .returning(['user_id', 'amr', 'password_hash', 'email_code_hash', 'mailed_to']),
  )

  return async (accountId, hash, now) => {
    const row = await db.queryOne(takeTry, { accountId, hash, ...validAt(now) })
    return (
      row && {
        userId: row.user_id,
        amr: toAmr(row.amr),
        passwordHash: row.password_hash,
        emailCodeHash: row.email_code_hash,
        mailedTo: row.mailed_to,
      }
    )
  }
}

function mailChallenge(db: Db): MfaStore['mailChallenge'] {
  const takeMail = db.statement<
    ChallengeKey & { emailCodeHash: string; mailedTo: string; now: number; latest: number }
  >()((queries, value) =>
    queries
      .updateTable('clientele_challenges')
      .set((of) => ({
        mails_left: of('mails_left', '-', 1),
        email_code_hash: value('emailCodeHash'),
        mailed_to: value('mailedTo'),
      }))
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest'))
      .where('mails_left', '>', 0)
      .where('tries_left', '>', 0)
      // Otherwise the code went to an address that the user has no more.
      .where((of) =>
        of.exists(
          of
            .selectFrom('clientele_users as u')
            .select('u.id')
            .where('u.account_id', '=', value('accountId'))
            .whereRef('u.id', '=', 'clientele_challenges.user_id')
            .where('u.email', '=', value('mailedTo')),
        ),
      )
      .returning('user_id'),
  )

  return async (accountId, hash, { emailCodeHash, mailedTo }, now) => {
    const input = { accountId, hash, emailCodeHash, mailedTo, ...validAt(now) }
    const row = await db.queryOne(takeMail, input)
    return row?.user_id
  }
}

function answerChallenge(db: Db): MfaStore['answerChallenge'] {
  const answer = createAnswer(db)

  return async (accountId, hash) => (await db.queryOne(answer, { accountId, hash })) !== undefined
}

/** Makes the statement by which one right answer uses up a challenge. */
export function createAnswer(db: Db) {
  return db.statement<ChallengeKey>()((queries, value) =>
    queries
      .updateTable('clientele_challenges')
      .set({ tries_left: sql.lit(answered) })
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('tries_left', '>', sql.lit(answered))
      .returning('hash'),
  )
}

function toAmr(text: string): string[] {
  return JSON.parse(text) as string[] // written by us from string[]
}
