import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { CountedUsers, UserCounts } from '../counts/sql/user-counts.ts'
import type { PageRequest } from '../page.ts'
import type { PageReading, VisibleUserRow } from './user-rows.ts'

/** How often a page is read again when the counts were folded meanwhile. */
const maxAttempts = 3

/** Makes the function that reads a far page in creation order, with the counts. */
export function createReadCountedPage(db: Db, counts: UserCounts, reading: PageReading) {
  const pageFrom = db.statement<{
    accountId: string
    lowerId: string
    version: number
    skip: number
    limit: number
  }>()((queries, value) => {
    const pending = queries
      .selectFrom('clientele_user_count_deltas')
      .select(sql<number>`coalesce(sum(delta), 0)`.as('pending'))
      .where('account_id', '=', value('accountId'))
      .where('user_id', '<', value('lowerId'))
    const skip = sql<number>`cast(${value('skip')} as bigint) - (${pending})`
    const isSameVersion = queries
      .selectFrom('clientele_user_counts')
      .select('version')
      .where('account_id', '=', value('accountId'))
      .where('version', '=', value('version'))
    // Returns no row when the counts were folded since, or the page begins before `lowerId`. The limit expresses that,
    // because a condition would be evaluated for each skipped user.
    const limit = sql<number>`case when ${skip} >= 0 and exists ${isSameVersion} then cast(${value('limit')} as bigint) else 0 end`
    return queries
      .selectFrom('clientele_users as u')
      .select(reading.columns)
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '>=', value('lowerId'))
      .orderBy('u.id')
      .limit(limit)
      .offset(sql<number>`cast(${db.features.larger(sql<number>`0`, skip)} as bigint)`)
  })

  /** Undefined when that is not faster, or the counts keep changing. */
  return async function readCountedPage(
    accountId: string,
    first: CountedUsers,
    request: PageRequest,
  ): Promise<VisibleUserRow[] | undefined> {
    const offset = (request.page - 1) * request.limit
    let counted = first
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const start = await counts.findPageStart(accountId, counted, offset)
      if (start === undefined) return undefined
      const values = { accountId, ...start, limit: request.limit }
      const rows = await (reading.isBeside ? db.scan(pageFrom, values) : db.query(pageFrom, values))
      if (rows.length > 0) return rows
      counted = await counts.total(accountId)
    }
    return undefined
  }
}
