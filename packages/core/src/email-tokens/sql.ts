import { ConstraintViolation, type Db, run, type Transaction } from '../sql/db.ts'
import { deleteExpiredSecrets } from '../sql/expired-rows.ts'
import { returnedUserColumns, toVersionedUser, userColumns } from '../sql/rows.ts'
import type { EmailTokenStore } from './store.ts'

interface TokenKey {
  accountId: string
  hash: string
}
interface UserKey {
  accountId: string
  userId: string
}

export function createEmailTokenStore(db: Db): EmailTokenStore {
  const insertToken = db.statement<
    TokenKey & { userId: string; purpose: string; email: string; expiresAt: number }
  >()((queries, value) =>
    queries.insertInto('clientele_email_tokens').values({
      account_id: value('accountId'),
      hash: value('hash'),
      user_id: value('userId'),
      purpose: value('purpose'),
      email: value('email'),
      expires_at: value('expiresAt'),
    }),
  )
  const deleteExpired = db.statement<{ accountId: string; now: number }>()((queries, value) =>
    deleteExpiredSecrets(
      queries,
      'clientele_email_tokens',
      db.features,
      value('accountId'),
      value('now'),
    ),
  )
  const selectToken = db.statement<TokenKey & { purpose: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_email_tokens')
        .select('user_id')
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('purpose', '=', value('purpose'))
        .where('expires_at', '>', value('now')),
  )
  const takeToken = db.statement<TokenKey & { purpose: string; now: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_email_tokens')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('purpose', '=', value('purpose'))
      .where('expires_at', '>', value('now'))
      .returning(['user_id', 'email']),
  )
  const setPassword = db.statement<
    UserKey & { email: string; passwordHash: string; now: number }
  >()((queries, value) =>
    queries
      .updateTable('clientele_users')
      .set((of) => ({
        password_hash: value('passwordHash'),
        tokens_not_before: value('now'),
        updated_at: value('now'),
        version: of('version', '+', 1),
      }))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      // The token went to this address: when the user has another one since, it is worth nothing.
      .where('email', '=', value('email'))
      .where('is_active', '=', true)
      .returning(returnedUserColumns),
  )
  const endings = (
    ['clientele_sessions', 'clientele_challenges', 'clientele_email_tokens'] as const
  ).map((table) =>
    db.statement<UserKey>()((queries, value) =>
      queries
        .deleteFrom(table)
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId')),
    ),
  )
  const selectUser = db.statement<UserKey & { email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId'))
      .where('u.email', '=', value('email')),
  )
  const noteVerified = db.statement<UserKey & { email: string; now: number }>()((queries, value) =>
    queries
      .insertInto('clientele_verified_emails')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        email: value('email'),
        verified_at: value('now'),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'user_id']).doUpdateSet((of) => ({
          email: of.ref('excluded.email'),
          verified_at: of.ref('excluded.verified_at'),
        })),
      ),
  )
  const selectVerified = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_verified_emails as v')
      .innerJoin('clientele_users as u', (join) =>
        join
          .onRef('u.account_id', '=', 'v.account_id')
          .onRef('u.id', '=', 'v.user_id')
          .onRef('u.email', '=', 'v.email'),
      )
      .select('v.verified_at')
      .where('v.account_id', '=', value('accountId'))
      .where('v.user_id', '=', value('userId')),
  )

  return {
    create: async (accountId, token, now) => {
      try {
        await db.query(insertToken, { accountId, ...token })
        await db.query(deleteExpired, { accountId, now })
        return true
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key') return false
        throw error
      }
    },
    find: async (accountId, hash, purpose, now) => {
      const row = await db.queryOne(selectToken, { accountId, hash, purpose, now })
      return row?.user_id
    },
    resetPassword: (accountId, hash, passwordHash, now) =>
      db.transact(function* (): Transaction<ReturnType<typeof toVersionedUser> | undefined> {
        const purpose = 'password_reset'
        const [token] = yield* run(takeToken, { accountId, hash, purpose, now })
        if (token === undefined) return undefined
        const { user_id: userId, email } = token
        const [row] = yield* run(setPassword, { accountId, userId, email, passwordHash, now })
        if (row === undefined) return undefined
        for (const ending of endings) yield* run(ending, { accountId, userId })
        return toVersionedUser(row)
      }),
    verifyEmail: (accountId, hash, now) =>
      db.transact(function* (): Transaction<ReturnType<typeof toVersionedUser> | undefined> {
        const purpose = 'email_verification'
        const [token] = yield* run(takeToken, { accountId, hash, purpose, now })
        if (token === undefined) return undefined
        const { user_id: userId, email } = token
        const [row] = yield* run(selectUser, { accountId, userId, email })
        if (row === undefined) return undefined
        yield* run(noteVerified, { accountId, userId, email, now })
        return toVersionedUser(row)
      }),
    findVerifiedAt: async (accountId, userId) => {
      const row = await db.queryOne(selectVerified, { accountId, userId })
      return row?.verified_at
    },
  }
}
