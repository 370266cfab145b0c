import { sql } from 'kysely'
import type { UserCounts } from '../../capabilities/users/counts/sql/user-counts.ts'
import { toFailure } from '../../capabilities/webhooks/sql/attempt-queries.ts'
import type { Db } from '../../sql/db.ts'
import { dayMs } from '../day.ts'
import type { ConsoleStore, DayRange } from '../store.ts'

type Figures = Pick<
  ConsoleStore,
  'countUsers' | 'countCreated' | 'countSignIns' | 'countSessions' | 'listWebhookHealth'
>

/** A day with the times of its start and end */
interface Day {
  day: number
  from_time: number
  to_time: number
}

/** The figures of the overview: one statement per figure, each run where it blocks no other request. */
export function createFigureQueries(db: Db, counts: UserCounts): Figures {
  return {
    countUsers: countUsers(db, counts),
    countCreated: countCreated(db),
    countSignIns: countSignIns(db),
    countSessions: countSessions(db),
    listWebhookHealth: listWebhookHealth(db),
  }
}

function countUsers(db: Db, counts: UserCounts): ConsoleStore['countUsers'] {
  // Most users are active: counting the inactive ones is faster.
  const countInactive = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(sql<number>`count(*)`.as('total'))
      .where('account_id', '=', value('accountId'))
      .where('is_active', '=', false),
  )

  return async (accountId) => {
    const { total } = await counts.total(accountId)
    const [inactive] = await db.scan(countInactive, { accountId })
    return { total, active: Math.max(0, total - (inactive?.total ?? 0)) }
  }
}

function countCreated(db: Db): ConsoleStore['countCreated'] {
  const countByDay = db.statement<{ accountId: string; days: string }>()((queries, value) =>
    queries
      .selectFrom(daysIn(db, value('days')))
      .select('d.day')
      .select((of) =>
        of
          .selectFrom('clientele_users as u')
          .select(sql<number>`count(*)`.as('created'))
          .where('u.account_id', '=', value('accountId'))
          .whereRef('u.created_at', '>=', 'd.from_time')
          .whereRef('u.created_at', '<', 'd.to_time')
          .$asScalar()
          .$notNull()
          .as('created'),
      ),
  )

  return async (accountId, { first, last }) => {
    const later = { ...toDay(last + 1), to_time: Number.MAX_SAFE_INTEGER }
    const days = JSON.stringify([...toDays({ first, last }), later])
    const rows = await db.scan(countByDay, { accountId, days })
    return rows.filter(({ created }) => created > 0)
  }
}

function countSignIns(db: Db): ConsoleStore['countSignIns'] {
  const countByDay = db.statement<{ accountId: string; days: string }>()((queries, value) =>
    queries
      .selectFrom(daysIn(db, value('days')))
      .select('d.day')
      .select((of) => {
        const count = (type: 'user.logged_in' | 'user.login_failed') =>
          of
            .selectFrom('clientele_events as e')
            .select(sql<number>`count(*)`.as('counted'))
            .where('e.account_id', '=', value('accountId'))
            .where('e.type', '=', sql.lit(type))
            // Written as in the index: SQLite does not infer it.
            .where(sql<boolean>`e.type in ('user.logged_in', 'user.login_failed')`)
            .whereRef('e.created_at', '>=', 'd.from_time')
            .whereRef('e.created_at', '<', 'd.to_time')
            .$asScalar()
            .$notNull()
        return [count('user.logged_in').as('succeeded'), count('user.login_failed').as('failed')]
      }),
  )

  return async (accountId, days) => {
    const rows = await db.scan(countByDay, { accountId, days: JSON.stringify(toDays(days)) })
    return rows.filter(({ succeeded, failed }) => succeeded + failed > 0)
  }
}

function countSessions(db: Db): ConsoleStore['countSessions'] {
  const countLive = db.statement<{ accountId: string; now: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions')
      .select(sql<number>`count(*)`.as('total'))
      .where('account_id', '=', value('accountId'))
      .where('expires_at', '>', value('now')),
  )

  return async (accountId, now) => {
    const [row] = await db.scan(countLive, { accountId, now })
    return row?.total ?? 0
  }
}

function listWebhookHealth(db: Db): ConsoleStore['listWebhookHealth'] {
  const selectWebhooks = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks as w')
      .leftJoin('clientele_event_feeds as f', (join) =>
        join.on('f.account_id', '=', value('accountId')),
      )
      .select(['w.id', 'w.url', 'w.is_active', 'w.failing_since', 'w.position', 'f.last_position'])
      .select((of) => {
        const waiting = of
          .selectFrom('clientele_webhook_deliveries as d')
          .select(sql<number>`count(*)`.as('waiting'))
          .where('d.account_id', '=', value('accountId'))
          .whereRef('d.webhook_id', '=', 'w.id')
        const lastAttempt = of
          .selectFrom('clientele_webhook_attempts as a')
          .where('a.account_id', '=', value('accountId'))
          .whereRef('a.webhook_id', '=', 'w.id')
          .orderBy('a.attempted_at', 'desc')
          .orderBy('a.id', 'desc')
          .limit(sql.lit(1))
        return [
          waiting.as('waiting'),
          lastAttempt.select('a.attempted_at').as('attempted_at'),
          lastAttempt.select('a.status').as('status'),
          lastAttempt.select('a.reason').as('reason'),
        ]
      })
      .where('w.account_id', '=', value('accountId'))
      .orderBy('w.id'),
  )

  return async (accountId) => {
    const rows = await db.scan(selectWebhooks, { accountId })
    return rows.map((row) => {
      const isActive = Boolean(row.is_active)
      // Events that were not processed yet; events are not sent while an endpoint is off.
      const ahead = isActive ? Math.max(0, (row.last_position ?? 0) - row.position) : 0
      return {
        id: row.id,
        url: row.url,
        isActive,
        failingSince: row.failing_since,
        pending: (row.waiting ?? 0) + ahead,
        lastAttemptAt: row.attempted_at,
        lastStatus: row.status,
        lastReason: row.attempted_at === null ? null : toFailure(row),
      }
    })
  }
}

/** Each day is counted as a range of the index: grouping the rows costs several times as much. */
function daysIn(db: Db, days: Parameters<typeof db.features.recordsOfJsonArray>[0]) {
  return db.features
    .recordsOfJsonArray<Day>(days, { day: 'counter', from_time: 'time', to_time: 'time' })
    .as('d')
}

function toDays({ first, last }: DayRange): Day[] {
  return Array.from({ length: last - first + 1 }, (_, index) => toDay(first + index))
}

function toDay(day: number): Day {
  return { day, from_time: day * dayMs, to_time: (day + 1) * dayMs }
}
