import { type ExpressionBuilder, type QueryCreator, sql } from 'kysely'
import { maxSetBackMs } from '../../../base/runtime/latest-end.ts'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { readPolicy } from '../../accounts/account-policy.ts'
import { accountPolicy } from '../../accounts/sql/account-policy.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { createWriteAndTell } from '../../events/sql/write-and-tell.ts'
import { createDeleteAllOfUser } from '../../users/sql/delete-all-of-user.ts'
import { createHasFactorsStill } from '../../users/sql/has-factors-still.ts'
import { createLockUser } from '../../users/sql/lock-user.ts'
import { accountDisabledAt } from '../../users/sql/subject.ts'
import { toVersionedUser, userColumns } from '../../users/sql/user-rows.ts'
import { hasVersion } from '../../users/sql/user-values.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { UserKey } from '../../users/store.ts'
import { maxSessions } from '../max-sessions.ts'
import type { RefreshRotation, SessionStore } from '../store.ts'
import { createSession } from './create-session.ts'

/** How many surplus sessions are ended at once. */
const evictedAtOnce = 100

export function createSessionStore(db: Db): SessionStore {
  return {
    create: createSession(db),
    endOldest: endOldest(db),
    list: listSessions(db),
    find: findSession(db),
    rotateRefreshToken: rotateRefreshToken(db),
    reauthenticate: reauthenticate(db),
    delete: deleteSession(db),
    deleteAll: createDeleteAllOfUser(db, 'clientele_sessions'),
  }
}

function endOldest(db: Db): SessionStore['endOldest'] {
  const deleteOldest = db.statement<UserKey & { id: string; latest: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sessions')
      .where('account_id', '=', value('accountId'))
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_sessions')
          .select('id')
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId'))
          // An impersonation ends by itself, and never in place of the user's own session.
          .where('impersonated_by', 'is', null)
          // Excludes the new session, even if the clock was set back.
          .where('id', '<>', value('id'))
          // First those of a time when the clock was ahead
          .orderBy((of) =>
            of.case().when('last_used_at', '>', value('latest')).then(1).else(0).end(),
          )
          .orderBy('last_used_at', 'desc')
          .orderBy('id', 'desc')
          .limit(sql.lit(evictedAtOnce))
          .offset(sql.lit(maxSessions - 1)),
      )
      .$call(withUserLocked(db, value))
      .returning('id'),
  )
  const writeAndTell = createWriteAndTell(db)

  return (accountId, userId, openedId, now, eventOf) => {
    const input = { accountId, userId, id: openedId, latest: now + maxSetBackMs }
    return writeAndTell(accountId, () => run(deleteOldest, input), eventOf)
  }
}

function listSessions(db: Db): SessionStore['list'] {
  const selectSessions = db.statement<{ accountId: string; userId: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_sessions')
        .select(['id', 'amr', 'impersonated_by', 'created_at', 'last_used_at', 'expires_at'])
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('expires_at', '>', value('now'))
        .orderBy('id', 'desc')
        .limit(sql.lit(2 * maxSessions)),
  )

  return async (accountId, userId, now) => {
    const rows = await db.query(selectSessions, { accountId, userId, now })
    return rows.reverse().map((row) => ({
      id: row.id,
      amr: toAmr(row.amr),
      impersonatedBy: row.impersonated_by,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      expiresAt: row.expires_at,
    }))
  }
}

function findSession(db: Db): SessionStore['find'] {
  const selectSession = db.statement<{ accountId: string; sessionId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions as s')
      .innerJoin('clientele_users as u', (join) =>
        join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 's.user_id'),
      )
      .select(userColumns)
      .select([
        's.amr',
        's.created_at as opened_at',
        's.authenticated_at',
        's.last_used_at',
        's.expires_at',
        's.ends_at',
        's.successor_seed',
        's.refresh_token_hash',
        's.refreshes',
        's.refreshed_at',
        's.window_refreshes',
        's.window_ends_at',
      ])
      .select([accountDisabledAt(value('accountId')), accountPolicy(value('accountId'))])
      .where('s.account_id', '=', value('accountId'))
      .where('s.id', '=', value('sessionId')),
  )

  return async (accountId, sessionId) => {
    const row = await db.queryOne(selectSession, { accountId, sessionId })
    return (
      row && {
        amr: toAmr(row.amr),
        authenticatedAt: row.authenticated_at ?? row.opened_at,
        user: toVersionedUser(row),
        isAccountDisabled: row.account_disabled_at !== null,
        policy: readPolicy(row.account_policy),
        lastUsedAt: row.last_used_at,
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
  }
}

interface UsedToken {
  accountId: string
  sessionId: string
  hash: string
}

/** What a used refresh token changes in its session */
function rotated(value: ParameterOf<RefreshRotation>) {
  return (of: ExpressionBuilder<Database, 'clientele_sessions'>) => ({
    refresh_token_hash: value('successorHash'),
    refreshes: of('refreshes', '+', 1),
    refreshed_at: value('usedAt'),
    last_used_at: value('usedAt'),
    expires_at: value('expiresAt'),
    window_refreshes: value('windowRefreshes'),
    window_ends_at: value('windowEndsAt'),
  })
}

function rotateRefreshToken(db: Db): SessionStore['rotateRefreshToken'] {
  const rotate = (
    queries: QueryCreator<Database>,
    value: ParameterOf<RefreshRotation & UsedToken>,
  ) =>
    queries
      .updateTable('clientele_sessions')
      .set(rotated(value))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('sessionId'))
      .where('refresh_token_hash', '=', value('hash'))
      .where('expires_at', '>', value('usedAt'))
      .returning(['account_id', 'id'])
  const rotateToken = writeWithEffects<RefreshRotation & UsedToken>(db)(rotate)
  const rotateOfVersion = writeWithEffects<RefreshRotation & UsedToken & { version: number }>(db)(
    (queries, value) =>
      rotate(queries, value).where((of) =>
        of.exists(
          of
            .selectFrom('clientele_users')
            .select('clientele_users.id')
            .where('clientele_users.account_id', '=', value('accountId'))
            .whereRef('clientele_users.id', '=', 'clientele_sessions.user_id')
            .where('clientele_users.version', '=', value('version')),
        ),
      ),
  )

  return async (accountId, sessionId, hash, rotation, version) => {
    const input = { accountId, sessionId, hash, ...rotation }
    const row =
      version === undefined
        ? await rotateToken.execute(input)
        : await rotateOfVersion.execute({ ...input, version })
    return row !== undefined
  }
}

function reauthenticate(db: Db): SessionStore['reauthenticate'] {
  const lockUser = createLockUser(db)
  const hasFactorsStill = createHasFactorsStill(db)
  const rotateToken = writeWithEffects<
    RefreshRotation &
      UsedToken & {
        userId: string
        amr: string
        passwordHash: string | null
        version: number | null
      } & EventValues
  >(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_sessions')
        .set((of) => ({
          ...rotated(value)(of),
          amr: db.typed(value('amr'), 'json'),
          authenticated_at: value('usedAt'),
        }))
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('sessionId'))
        .where('refresh_token_hash', '=', value('hash'))
        .where('expires_at', '>', value('usedAt'))
        .where((of) =>
          of.exists(
            of
              .selectFrom('clientele_users')
              .select('clientele_users.id')
              .where('clientele_users.account_id', '=', value('accountId'))
              .where('clientele_users.id', '=', value('userId'))
              .where((user) =>
                user.or([
                  user(db.typed(value('passwordHash'), 'text'), 'is', null),
                  user('password_hash', '=', value('passwordHash')),
                ]),
              )
              .where(hasVersion(value('version')))
              // As in `withUserLocked`. After a wait PostgreSQL compares the password that the user then has.
              .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
          ),
        )
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, sessionId, hash, rotation, { event, factors, ...shown }) => {
    const { userId, amr, version = null } = shown
    const proved = { ...shown, amr: JSON.stringify(amr), version, ...eventValues(event) }
    const input = { ...proved, accountId, sessionId, hash, ...rotation }
    if (factors === undefined) return (await rotateToken.execute(input)) !== undefined
    return db.transact(function* (): Transaction<boolean> {
      const key = { accountId, userId }
      yield* run(lockUser, key)
      if (!(yield* hasFactorsStill(key, factors))) return false
      return (yield* rotateToken.run(input)).length > 0
    })
  }
}

function deleteSession(db: Db): SessionStore['delete'] {
  const deleteOne = writeWithEffects<{ userId: string; sessionId: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_sessions')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('sessionId'))
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, userId, sessionId, event) =>
    (await deleteOne.execute({ ...eventValues(event), accountId, userId, sessionId })) !== undefined
}

function toAmr(text: string): string[] {
  return JSON.parse(text) as string[] // written by us from string[]
}
