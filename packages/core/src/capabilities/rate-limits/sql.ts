import {
  type Expression,
  type InsertQueryBuilder,
  type InsertResult,
  type QueryCreator,
  sql,
} from 'kysely'
import { lowestId } from '../../base/input/id.ts'
import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { BatchLoader } from '../../sql/batch-loader.ts'
import type { Db, ParameterOf } from '../../sql/db.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import type { Database } from '../../sql/tables/tables.ts'
import type { RateLimitCount, RateLimitCountStore } from './store.ts'

interface CountName {
  accountId: string
  key: string
}

/** The time of the search, and the latest end of a window that has begun by then */
interface Window {
  now: number
  latest: number
}

interface Counted {
  points: number
  expires_at: number
}

interface Points {
  accountId: string
  key: string
  points: number
  now: number
  expiresAt: number
  latest: number
}

export function createRateLimitCountStore(db: Db): RateLimitCountStore {
  const addPoints = createAddPoints(db)
  const selectPoints = db.statement<CountName & Window>()((queries, value) =>
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
  const findCount = async (input: CountName & Window): Promise<RateLimitCount | undefined> => {
    const row = await db.queryOne(selectPoints, input)
    return row && { points: row.points, expiresAt: row.expires_at }
  }
  // Refused attempts only read: many at one target share a statement, and do not take the connections of others.
  const loader = new BatchLoader<Window, RateLimitCount | undefined>(async (name, calls) => {
    const [accountId = '', key = ''] = name.split(' ')
    const [{ now, latest } = { now: 0, latest: 0 }] = calls // there is one
    const count = await findCount({ accountId, key, now, latest })
    return calls.map(() => count)
  })

  return {
    add: async (accountId, key, points, now, expiresAt) => {
      const latest = expiresAt + leewaySeconds * 1000
      const row = await addPoints({ accountId, key, points, now, expiresAt, latest })
      return { points: row?.points ?? points, expiresAt: row?.expires_at ?? expiresAt }
    },
    find: async (accountId, key, now, windowMs) => {
      const window = { now, latest: now + windowMs + leewaySeconds * 1000 }
      // In the process of SQLite a search takes no connection.
      return db.features.isInProcess
        ? findCount({ accountId, key, ...window })
        : loader.load(`${accountId} ${key}`, window)
    },
    clear: async (accountId, key) =>
      (await db.queryOne(deletePoints, { accountId, key })) !== undefined,
  }
}

/**
 * Adds points to a count. Nothing of an account that is gone by now: a deletion of the account and this write wait for
 * each other. An attempt to open a console belongs to no account.
 */
function createAddPoints(db: Db) {
  const holdAccount = (queries: QueryCreator<Database>, accountId: Expression<string>) =>
    queries
      .selectFrom('clientele_accounts')
      .select('id')
      .where('id', '=', accountId)
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forKeyShare())
  const addTogether = db.statement<Points>()((queries, value) => {
    const isThere = sql<boolean>`(${db.typed(value('accountId'), 'id')} = ${sql.lit(lowestId)} or exists (select id from account))`
    const insert = queries
      .with('account', (q) => holdAccount(q, value('accountId')))
      .insertInto('clientele_rate_limits')
      .columns(['account_id', 'key', 'points', 'expires_at'])
      .expression(
        queries
          .selectNoFrom([
            db.typed(value('accountId'), 'id').as('account_id'),
            db.typed(value('key'), 'sortedText').as('key'),
            db.typed(value('points'), 'counter').as('points'),
            db.typed(value('expiresAt'), 'time').as('expires_at'),
          ])
          .where(isThere),
      )
    return addToCount(db, value, insert)
  })
  // Citus sends parts of that statement to other servers, which then do not learn the types of all parameters.
  const hold = db.statement<{ accountId: string }>()((queries, value) =>
    holdAccount(queries, value('accountId')),
  )
  const addApart = db.statement<Points>()((queries, value) => {
    const insert = queries.insertInto('clientele_rate_limits').values({
      account_id: value('accountId'),
      key: value('key'),
      points: value('points'),
      expires_at: value('expiresAt'),
    })
    return addToCount(db, value, insert)
  })

  return async (input: Points): Promise<Counted | undefined> => {
    if (!db.isDistributed) return db.queryOne(addTogether, input)
    return db.transact(function* (): Transaction<Counted | undefined> {
      const { accountId } = input
      const isThere = accountId === lowestId || (yield* run(hold, { accountId })).length > 0
      return isThere ? (yield* run(addApart, input))[0] : undefined
    })
  }
}

function addToCount(
  db: Db,
  value: ParameterOf<Points>,
  insert: InsertQueryBuilder<Database, 'clientele_rate_limits', InsertResult>,
) {
  const end = sql.ref('clientele_rate_limits.expires_at')
  // Or it began while the clock was ahead.
  const isOver = sql<boolean>`(${end} <= ${db.typed(value('now'), 'time')} or ${end} > ${db.typed(value('latest'), 'time')})`
  return insert
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet({
        points: sql<number>`case when ${isOver} then excluded.points else clientele_rate_limits.points + excluded.points end`,
        expires_at: sql<number>`case when ${isOver} then excluded.expires_at else clientele_rate_limits.expires_at end`,
      }),
    )
    .returning(['points', 'expires_at'])
}
