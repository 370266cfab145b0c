import { sql } from 'kysely'
import { lowestIdAt } from '../../base/input/id.ts'
import type { UserCounts } from '../../capabilities/users/counts/sql/user-counts.ts'
import { toFailure } from '../../capabilities/webhooks/sql/attempt-queries.ts'
import type { Db } from '../../sql/db.ts'
import type { ConsoleStore } from '../store.ts'

type Figures = Pick<
  ConsoleStore,
  'countUsers' | 'countCreated' | 'countSignIns' | 'countSessions' | 'listWebhookHealth'
>

/** How much an event's id, which has the time of its making, may be older than the event */
const slackMs = 3_600_000
const day = sql<number>`created_at / 86400000`

/** What the overview is drawn from: a statement a figure, each read where it keeps nobody waiting. */
export function createFigureQueries(db: Db, counts: UserCounts): Figures {
  // Most users are active: the others are the shorter walk.
  const countInactive = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(sql<number>`count(*)`.as('total'))
      .where('account_id', '=', value('accountId'))
      .where('is_active', '=', false),
  )
  const countCreated = db.statement<{ accountId: string; since: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select([day.as('day'), sql<number>`count(*)`.as('created')])
      .where('account_id', '=', value('accountId'))
      .where('created_at', '>=', value('since'))
      .groupBy(day),
  )
  const isOfType = (type: 'user.logged_in' | 'user.login_failed') =>
    sql<number>`sum(case when type = ${sql.lit(type)} then 1 else 0 end)`
  // By the ids, which begin with the time: no index has the times alone.
  const countSignIns = db.statement<{ accountId: string; since: number; lowestId: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_events')
        .select([
          day.as('day'),
          isOfType('user.logged_in').as('succeeded'),
          isOfType('user.login_failed').as('failed'),
        ])
        .where('account_id', '=', value('accountId'))
        .where('id', '>=', value('lowestId'))
        .where('type', 'in', [sql.lit('user.logged_in'), sql.lit('user.login_failed')])
        .where('created_at', '>=', value('since'))
        .groupBy(day),
  )
  const countSessions = db.statement<{ accountId: string; now: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions')
      .select(sql<number>`count(*)`.as('total'))
      .where('account_id', '=', value('accountId'))
      .where('expires_at', '>', value('now')),
  )
  const selectWebhooks = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_webhooks as w')
      .leftJoin('clientele_event_feeds as f', 'f.account_id', 'w.account_id')
      .select(['w.id', 'w.url', 'w.is_active', 'w.failing_since', 'w.position', 'f.last_position'])
      .select((of) => {
        const waiting = of
          .selectFrom('clientele_webhook_deliveries as d')
          .select(sql<number>`count(*)`.as('waiting'))
          .whereRef('d.account_id', '=', 'w.account_id')
          .whereRef('d.webhook_id', '=', 'w.id')
        const lastAttempt = of
          .selectFrom('clientele_webhook_attempts as a')
          .whereRef('a.account_id', '=', 'w.account_id')
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

  return {
    countUsers: async (accountId) => {
      const { total } = await counts.total(accountId)
      const [inactive] = await db.scan(countInactive, { accountId })
      return { total, active: Math.max(0, total - (inactive?.total ?? 0)) }
    },
    countCreated: (accountId, since) => db.scan(countCreated, { accountId, since }),
    countSignIns: (accountId, since) =>
      db.scan(countSignIns, { accountId, since, lowestId: lowestIdAt(since - slackMs) }),
    countSessions: async (accountId, now) => {
      const [row] = await db.scan(countSessions, { accountId, now })
      return row?.total ?? 0
    },
    listWebhookHealth: async (accountId) => {
      const rows = await db.scan(selectWebhooks, { accountId })
      return rows.map((row) => {
        const isActive = Boolean(row.is_active)
        // What nobody has looked at yet; what happens while an endpoint is off is not sent.
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
    },
  }
}
