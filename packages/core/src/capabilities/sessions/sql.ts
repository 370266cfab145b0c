import { sql } from 'kysely'
import { type Db, run } from '../../sql/db.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import {
  createAppendEvent,
  type EventValues,
  eventValues,
  recordEvent,
} from '../events/sql/record-event.ts'
import { accountDisabledAt } from '../users/sql/subject.ts'
import { toVersionedUser, userColumns } from '../users/sql/user-rows.ts'
import { maxSessions } from './max-sessions.ts'
import type { RefreshRotation, SessionStore } from './store.ts'

/** How many surplus sessions are ended at once. */
const evictedAtOnce = 100

export function createSessionStore(db: Db): SessionStore {
  const insertSession = writeWithEffects<
    {
      accountId: string
      id: string
      userId: string
      amr: string
      now: number
      expiresAt: number
      endsAt: number
      successorSeed: string
      passwordHash: string | null
      tokensNotBefore: number | null
      refreshTokenHash: string
    } & EventValues
  >(db)(
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
          'refresh_token_hash',
          'refreshes',
          'window_refreshes',
          'window_ends_at',
        ])
        .expression((of) =>
          of
            .selectFrom('clientele_users')
            .select([
              'account_id',
              db.typed(value('id'), 'id').as('id'),
              'id as user_id',
              db.typed(value('amr'), 'json').as('amr'),
              db.typed(value('now'), 'time').as('created_at'),
              db.typed(value('now'), 'time').as('last_used_at'),
              db.typed(value('expiresAt'), 'time').as('expires_at'),
              db.typed(value('endsAt'), 'time').as('ends_at'),
              db.typed(value('successorSeed'), 'text').as('successor_seed'),
              db.typed(value('refreshTokenHash'), 'text').as('refresh_token_hash'),
              sql.lit(0).as('refreshes'),
              sql.lit(0).as('window_refreshes'),
              sql.lit(0).as('window_ends_at'),
            ])
            .where('account_id', '=', value('accountId'))
            .where('id', '=', value('userId'))
            .where('is_active', '=', true)
            // Also null: a user without a password signs in by other means.
            .where('password_hash', 'is not distinct from', value('passwordHash'))
            .where(
              'tokens_not_before',
              '=',
              sql<number>`coalesce(${db.typed(value('tokensNotBefore'), 'time')}, tokens_not_before)`,
            )
            .where((user) =>
              user.exists(
                user
                  .selectFrom('clientele_accounts as a')
                  .select('a.id')
                  .whereRef('a.id', '=', 'clientele_users.account_id')
                  .where('a.disabled_at', 'is', null),
              ),
            )
            // A concurrent deletion, deactivation or new password either waits and then ends the new session, or was
            // first, and then the user is read again in the resulting state.
            .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
        )
        .returning(['account_id', 'id'])
        .returning((of) =>
          of
            .selectFrom((held) =>
              held
                .selectFrom('clientele_sessions as h')
                .select('h.id')
                .where('h.account_id', '=', value('accountId'))
                .where('h.user_id', '=', value('userId'))
                .limit(sql.lit(maxSessions + 1))
                .as('held'),
            )
            .select((held) => held.fn.countAll<number>().as('rows'))
            .as('held'),
        ),
    [recordEvent(db)],
  )
  const deleteOldest = db.statement<{ accountId: string; userId: string; id: string }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_sessions')
        .where('account_id', '=', value('accountId'))
        .where('id', 'in', (of) =>
          of
            .selectFrom('clientele_sessions')
            .select('id')
            .where('account_id', '=', value('accountId'))
            .where('user_id', '=', value('userId'))
            // Excludes the new session, even if the clock was set back.
            .where('id', '<>', value('id'))
            .orderBy('last_used_at', 'desc')
            .orderBy('id', 'desc')
            .limit(sql.lit(evictedAtOnce))
            .offset(sql.lit(maxSessions - 1)),
        )
        .returning('id'),
  )
  const selectSessions = db.statement<{ accountId: string; userId: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_sessions')
        .select(['id', 'amr', 'created_at', 'last_used_at', 'expires_at'])
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('expires_at', '>', value('now'))
        .orderBy('id', 'desc')
        .limit(sql.lit(2 * maxSessions)),
  )
  const selectSession = db.statement<{ accountId: string; sessionId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions as s')
      .innerJoin('clientele_users as u', (join) =>
        join.onRef('u.account_id', '=', 's.account_id').onRef('u.id', '=', 's.user_id'),
      )
      .select(userColumns)
      .select([
        's.amr',
        's.expires_at',
        's.ends_at',
        's.successor_seed',
        's.refresh_token_hash',
        's.refreshes',
        's.refreshed_at',
        's.window_refreshes',
        's.window_ends_at',
      ])
      .select(accountDisabledAt)
      .where('s.account_id', '=', value('accountId'))
      .where('s.id', '=', value('sessionId')),
  )
  const rotateToken = writeWithEffects<
    RefreshRotation & { accountId: string; sessionId: string; hash: string }
  >(db)((queries, value) =>
    queries
      .updateTable('clientele_sessions')
      .set((of) => ({
        refresh_token_hash: value('successorHash'),
        refreshes: of('refreshes', '+', 1),
        refreshed_at: value('usedAt'),
        last_used_at: value('usedAt'),
        expires_at: value('expiresAt'),
        window_refreshes: value('windowRefreshes'),
        window_ends_at: value('windowEndsAt'),
      }))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('sessionId'))
      .where('refresh_token_hash', '=', value('hash'))
      .where('expires_at', '>', value('usedAt'))
      .returning(['account_id', 'id']),
  )
  const deleteOne = writeWithEffects<{ userId: string; sessionId: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_sessions')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('sessionId'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const appendEvent = createAppendEvent(db)
  const deleteAll = writeWithEffects<{ accountId: string; userId: string }>(db)((queries, value) =>
    queries
      .deleteFrom('clientele_sessions')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning(['account_id', 'id']),
  )

  return {
    create: async (accountId, session, passwordHash, event, conditions = {}) => {
      const { createdAt: now, ...values } = session
      const amr = JSON.stringify(session.amr)
      const { tokensNotBefore = null } = conditions
      const compared = { passwordHash, tokensNotBefore }
      const input = { ...eventValues(event), accountId, ...values, now, amr, ...compared }
      const inserted = await insertSession.execute(input)
      if (inserted === undefined) return false
      return (inserted.held ?? 0) < maxSessions || 'over_limit'
    },
    endOldest: (accountId, userId, openedId, eventOf) =>
      db.transact(function* () {
        const rows = yield* run(deleteOldest, { accountId, userId, id: openedId })
        if (rows.length === 0) return undefined
        const event = eventOf(rows.map((row) => row.id))
        yield* run(appendEvent, { accountId, ...eventValues(event) })
        return event
      }),
    list: async (accountId, userId, now) => {
      const rows = await db.query(selectSessions, { accountId, userId, now })
      return rows.reverse().map((row) => ({
        id: row.id,
        amr: toAmr(row.amr),
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        expiresAt: row.expires_at,
      }))
    },
    find: async (accountId, sessionId) => {
      const row = await db.queryOne(selectSession, { accountId, sessionId })
      return (
        row && {
          amr: toAmr(row.amr),
          user: toVersionedUser(row),
          isAccountDisabled: row.account_disabled_at !== null,
          expiresAt: row.expires_at,
          endsAt: row.ends_at,
          successorSeed: row.successor_seed,
          refreshTokenHash: row.refresh_token_hash,
          refreshes: row.refreshes,
          refreshedAt: row.refreshed_at,
          windowRefreshes: row.window_refreshes,
          windowEndsAt: row.window_ends_at,
        }
      )
    },
    rotateRefreshToken: async (accountId, sessionId, hash, rotation) => {
      const input = { accountId, sessionId, hash, ...rotation }
      return (await rotateToken.execute(input)) !== undefined
    },
    delete: async (accountId, userId, sessionId, event) =>
      (await deleteOne.execute({ ...eventValues(event), accountId, userId, sessionId })) !==
      undefined,
    deleteAll: (accountId, userId, eventOf) =>
      db.transact(function* () {
        const rows = yield* deleteAll.run({ accountId, userId })
        if (rows.length === 0) return undefined
        const event = eventOf(rows.map((row) => row.id))
        yield* run(appendEvent, { accountId, ...eventValues(event) })
        return event
      }),
  }
}

function toAmr(text: string): string[] {
  return JSON.parse(text) as string[] // written by us from string[]
}
