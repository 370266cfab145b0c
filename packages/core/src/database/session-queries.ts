import type { Expression, QueryCreator } from 'kysely'
import type { SessionRepository } from '../repository.ts'
import { CombinedWrite, type TablesWithChanged } from './combined-write.ts'
import { ConstraintViolation, type Database } from './database.ts'
import { toVersionedUser, userColumns } from './rows.ts'
import { accountDisabledAt } from './subject.ts'

export function createSessionQueries(database: Database): SessionRepository {
  const addRefreshToken = (
    queries: QueryCreator<TablesWithChanged>,
    hash: Expression<string>,
    createdAt: Expression<number>,
    expiresAt: Expression<number>,
  ) =>
    queries
      .insertInto('clientele_refresh_tokens')
      .columns(['account_id', 'session_id', 'hash', 'created_at', 'expires_at'])
      .expression((of) =>
        of
          .selectFrom('changed')
          .select([
            'account_id',
            'id as session_id',
            database.typed(hash, 'text').as('hash'),
            database.typed(createdAt, 'time').as('created_at'),
            database.typed(expiresAt, 'time').as('expires_at'),
          ]),
      )
  const insertSession = new CombinedWrite<
    {
      accountId: string
      id: string
      userId: string
      amr: string
      createdAt: number
      expiresAt: number
      endsAt: number
      successorSeed: string
      passwordHash: string | null
      refreshTokenHash: string
    },
    { account_id: string; id: string }
  >(
    database,
    (queries, value) =>
      queries
        .insertInto('clientele_sessions')
        .columns([
          'account_id',
          'id',
          'user_id',
          'amr',
          'created_at',
          'last_used_at',
          'expires_at',
          'ends_at',
          'successor_seed',
        ])
        .expression((of) =>
          of
            .selectFrom('clientele_users')
            .select([
              'account_id',
              database.typed(value('id'), 'id').as('id'),
              'id as user_id',
              database.typed(value('amr'), 'json').as('amr'),
              database.typed(value('createdAt'), 'time').as('created_at'),
              database.typed(value('createdAt'), 'time').as('last_used_at'),
              database.typed(value('expiresAt'), 'time').as('expires_at'),
              database.typed(value('endsAt'), 'time').as('ends_at'),
              database.typed(value('successorSeed'), 'text').as('successor_seed'),
            ])
            .where('account_id', '=', value('accountId'))
            .where('id', '=', value('userId'))
            .where('is_active', '=', true)
            // Null too: a user without a password signs in by other means.
            .where('password_hash', 'is not distinct from', value('passwordHash'))
            .where((user) =>
              user.exists(
                user
                  .selectFrom('clientele_accounts as a')
                  .select('a.id')
                  .whereRef('a.id', '=', 'clientele_users.account_id')
                  .where('a.disabled_at', 'is', null),
              ),
            )
            // A deletion, deactivation or new password at this moment waits, and then ends this session too; or it
            // was first, and the user is read again as it left it.
            .$if(database.differences.writesAtOnce, (locked) => locked.forShare()),
        )
        .returning(['account_id', 'id']),
    [
      (queries, value) =>
        addRefreshToken(queries, value('refreshTokenHash'), value('createdAt'), value('expiresAt')),
      (queries, value) =>
        queries
          .deleteFrom('clientele_sessions')
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId'))
          .where('expires_at', '<=', value('createdAt')),
    ],
  )
  const selectSessions = database.statement<{ accountId: string; userId: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_sessions')
        .select(['id', 'amr', 'created_at', 'last_used_at', 'expires_at'])
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('expires_at', '>', value('now'))
        .orderBy('id'),
  )
  const selectRefreshToken = database.statement<{ accountId: string; hash: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_refresh_tokens as t')
        .innerJoin('clientele_sessions as s', (join) =>
          join.onRef('s.account_id', '=', 't.account_id').onRef('s.id', '=', 't.session_id'),
        )
        .innerJoin('clientele_users as u', (join) =>
          join.onRef('u.account_id', '=', 's.account_id').onRef('u.id', '=', 's.user_id'),
        )
        .select(userColumns)
        .select([
          's.id as session_id',
          's.amr',
          's.ends_at',
          's.successor_seed',
          't.used_at',
          't.expires_at',
        ])
        .select(accountDisabledAt)
        .where('t.account_id', '=', value('accountId'))
        .where('t.hash', '=', value('hash')),
  )
  const rotateToken = new CombinedWrite<RotationValues, { account_id: string; id: string }>(
    database,
    (queries, value) =>
      queries
        .updateTable('clientele_refresh_tokens')
        .set({ used_at: value('usedAt') })
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('session_id', '=', value('id'))
        .where('used_at', 'is', null)
        .where('expires_at', '>', value('usedAt'))
        .returning(['account_id', 'session_id as id']),
    [
      (queries, value) =>
        addRefreshToken(queries, value('successorHash'), value('usedAt'), value('expiresAt')),
      (queries, value) =>
        queries
          .updateTable('clientele_sessions')
          .set({ last_used_at: value('usedAt'), expires_at: value('expiresAt') })
          .where('account_id', '=', value('accountId'))
          .where('id', 'in', (of) => of.selectFrom('changed').select('id')),
    ],
  )
  const deleteOne = database.statement<{ accountId: string; userId: string; sessionId: string }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_sessions')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('sessionId'))
        .returning('id'),
  )
  const deleteAll = database.statement<{ accountId: string; userId: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sessions')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('id'),
  )

  return {
    createSession: async (accountId, session, passwordHash) => {
      const input = { accountId, ...session, amr: JSON.stringify(session.amr), passwordHash }
      return (await insertSession.execute(input)) !== undefined
    },
    listSessions: async (accountId, userId, now) => {
      const rows = await database.query(selectSessions, { accountId, userId, now })
      return rows.map((row) => ({
        id: row.id,
        amr: toAmr(row.amr),
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        expiresAt: row.expires_at,
      }))
    },
    findRefreshToken: async (accountId, hash) => {
      const row = await database.queryOne(selectRefreshToken, { accountId, hash })
      return (
        row && {
          sessionId: row.session_id,
          amr: toAmr(row.amr),
          user: toVersionedUser(row),
          usedAt: row.used_at,
          expiresAt: row.expires_at,
          sessionEndsAt: row.ends_at,
          isAccountDisabled: row.account_disabled_at !== null,
          successorSeed: row.successor_seed,
        }
      )
    },
    rotateRefreshToken: async (accountId, hash, { sessionId, ...rotation }) => {
      try {
        const input = { accountId, id: sessionId, hash, ...rotation }
        return (await rotateToken.execute(input)) !== undefined
      } catch (error) {
        // The session ended, or a twin of this call stored the same successor, at the same moment.
        if (error instanceof ConstraintViolation) return false
        throw error
      }
    },
    deleteSession: async (accountId, userId, sessionId) =>
      (await database.queryOne(deleteOne, { accountId, userId, sessionId })) !== undefined,
    deleteSessions: async (accountId, userId) => {
      const rows = await database.query(deleteAll, { accountId, userId })
      return rows.map((row) => row.id)
    },
  }
}

interface RotationValues {
  accountId: string
  /** The session's */
  id: string
  hash: string
  successorHash: string
  usedAt: number
  expiresAt: number
}

function toAmr(text: string): string[] {
  return JSON.parse(text) as string[] // written by us from string[]
}
