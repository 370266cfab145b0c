import { sql } from 'kysely'
import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import type { Db } from '../../sql/db.ts'
import type { RateLimitCountStore } from './store.ts'

export function createRateLimitCountStore(db: Db): RateLimitCountStore {
  const addPoints = db.statement<{
    accountId: string
    key: string
    points: number
    now: number
    expiresAt: number
    latest: number
  }>()((queries, value) => {
    const end = sql.ref('clientele_rate_limits.expires_at')
    // Or it began while the clock was ahead.
    const isOver = sql<boolean>`(${end} <= ${db.typed(value('now'), 'time')} or ${end} > ${db.typed(value('latest'), 'time')})`
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
  const selectPoints = db.statement<{
    accountId: string
    key: string
    now: number
    latest: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_rate_limits')
      .select(['points', 'expires_at'])
      .where('account_id', '=', value('accountId'))
      .where('key', '=', value('key'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest')),
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
      const latest = expiresAt + leewaySeconds * 1000
      const row = await db.queryOne(addPoints, { accountId, key, points, now, expiresAt, latest })
      return { points: row?.points ?? points, expiresAt: row?.expires_at ?? expiresAt }
    },
    find: async (accountId, key, now, windowMs) => {
      const latest = now + windowMs + leewaySeconds * 1000
      const row = await db.queryOne(selectPoints, { accountId, key, now, latest })
      return row && { points: row.points, expiresAt: row.expires_at }
    },
    clear: async (accountId, key) =>
      (await db.queryOne(deletePoints, { accountId, key })) !== undefined,
  }
}
