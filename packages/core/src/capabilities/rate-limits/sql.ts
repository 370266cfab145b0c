import { sql } from 'kysely'
import type { Db } from '../../sql/db.ts'
import type { RateLimitCountStore } from './store.ts'

export function createRateLimitCountStore(db: Db): RateLimitCountStore {
  const addPoints = db.statement<{
    accountId: string
    key: string
    points: number
    now: number
    expiresAt: number
  }>()((queries, value) => {
    const isOver = sql<boolean>`clientele_rate_limits.expires_at <= ${db.typed(value('now'), 'time')}`
    return queries
      .insertInto('clientele_rate_limits')
      .values({
        account_id: value('accountId'),
        key: value('key'),
        points: value('points'),
        expires_at: value('expiresAt'),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'key']).doUpdateSet({
          points: sql<number>`case when ${isOver} then excluded.points else clientele_rate_limits.points + excluded.points end`,
          expires_at: sql<number>`case when ${isOver} then excluded.expires_at else clientele_rate_limits.expires_at end`,
        }),
      )
      .returning(['points', 'expires_at'])
  })
  const selectPoints = db.statement<{ accountId: string; key: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_rate_limits')
        .select(['points', 'expires_at'])
        .where('account_id', '=', value('accountId'))
        .where('key', '=', value('key'))
        .where('expires_at', '>', value('now')),
  )
  const deletePoints = db.statement<{ accountId: string; key: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_rate_limits')
      .where('account_id', '=', value('accountId'))
      .where('key', '=', value('key'))
      .returning('key'),
  )

  return {
    add: async (accountId, key, points, now, expiresAt) => {
      const row = await db.queryOne(addPoints, { accountId, key, points, now, expiresAt })
      return { points: row?.points ?? points, expiresAt: row?.expires_at ?? expiresAt }
    },
    find: async (accountId, key, now) => {
      const row = await db.queryOne(selectPoints, { accountId, key, now })
      return row && { points: row.points, expiresAt: row.expires_at }
    },
    clear: async (accountId, key) =>
      (await db.queryOne(deletePoints, { accountId, key })) !== undefined,
  }
}
