import { sql } from 'kysely'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db, Statement } from '../../../sql/db.ts'
import { totalColumns } from '../counts/sql/user-count-statements.ts'
import { type CountedUsers, nearOffset, type UserCounts } from '../counts/sql/user-counts.ts'
import type { PageRequest } from '../page.ts'
import type { UserPage, UserStore } from '../store.ts'
import {
  hasFurtherFilters,
  isFiltered,
  type ListValues,
  type Shape,
  toShape,
  toValues,
  withoutFurtherFilters,
} from './user-list-shape.ts'
import { UserListStatements, type Way } from './user-list-statements.ts'
import { toVersionedUser, userColumns, type VisibleUserRow } from './user-rows.ts'

/** This many users are read quickly, wherever they are stored. */
const maxQuickRows = 1_024
/** This many users are looked up one by one in the time of another query. */
const fewCandidates = 128
/** How often a page is read again when the counts were folded meanwhile. */
const maxAttempts = 3

interface Counted {
  total: number
  /** Up to the page */
  way: Way
}

/** This many pages are written as JSON in a few milliseconds. */
const maxSharedPages = 8

export function createUserListQueries(db: Db, counts: UserCounts): Pick<UserStore, 'list'> {
  const statements = new UserListStatements(db)

  // With a literal limit and few users in the table, PostgreSQL would read and sort the whole account.
  const nearPage = db.statement<{ accountId: string; limit: number; offset: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        // A scalar subquery, evaluated once and not per user
        .select(totalColumns(queries, value))
        .where('u.account_id', '=', value('accountId'))
        .orderBy('u.id')
        .limit(value('limit'))
        .offset(value('offset')),
  )

  /** Reads a page near the beginning and the total in one statement; undefined when the page is empty. */
  async function readNearPage(
    accountId: string,
    { limit, page }: PageRequest,
  ): Promise<UserPage | undefined> {
    const offset = (page - 1) * limit
    const rows = await db.query(nearPage, { accountId, limit, offset })
    const [first] = rows
    if (first === undefined) return undefined
    counts.notePending(accountId, first.pending)
    const { total } = first
    return { users: rows.map(toVersionedUser), total, hasMore: offset + rows.length < total }
  }

  /** Simultaneous requests for the same page share a round trip. */
  const loader = new BatchLoader<PageRequest, UserPage | undefined>(async (name, requests) => {
    const [accountId = ''] = name.split(' ')
    const page = requests[0] && (await readNearPage(accountId, requests[0]))
    return requests.map(() => page)
  }, maxSharedPages)
  function findNearPage(accountId: string, request: PageRequest): Promise<UserPage | undefined> {
    if (db.features.isInProcess) return readNearPage(accountId, request)
    return loader.load(`${accountId} ${request.limit} ${request.page}`, request)
  }

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
      .select(userColumns)
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '>=', value('lowerId'))
      .orderBy('u.id')
      .limit(limit)
      .offset(sql<number>`cast(${db.features.larger(sql<number>`0`, skip)} as bigint)`)
  })

  /** Reads a page in creation order with the counts; undefined when that is not faster, or the counts keep changing. */
  async function readCountedPage(
    accountId: string,
    first: CountedUsers,
    request: PageRequest,
  ): Promise<VisibleUserRow[] | undefined> {
    const offset = (request.page - 1) * request.limit
    let counted = first
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const start = await counts.findPageStart(accountId, counted, offset)
      if (start === undefined) return undefined
      const rows = await db.query(pageFrom, { accountId, ...start, limit: request.limit })
      if (rows.length > 0) return rows
      counted = await counts.total(accountId)
    }
    return undefined
  }

  /** Runs a potentially slow read outside of the event loop, if the database supports that. */
  function read<Row>(
    statement: Statement<ListValues, Row>,
    values: ListValues,
    isQuick: boolean,
  ): Promise<Row[]> {
    return isQuick ? db.query(statement, values) : db.scan(statement, values)
  }

  /** Whether the list is fast: few users are read, or an index finds them. */
  async function isQuickList(shape: Shape, values: ListValues): Promise<boolean> {
    if (db.driver.scan === undefined || shape.email) return true
    const isNear = shape.cursor !== undefined || values.offset <= maxQuickRows
    if (!isFiltered(shape) && isNear) return true
    if (shape.q || shape.role) {
      const sizes = await db.queryOne(statements.sizes(shape, maxQuickRows + 1), values)
      if ((sizes?.total ?? 0) <= maxQuickRows) return true
    }
    const { total } = await counts.total(values.accountId)
    return total <= maxQuickRows
  }

  async function count(
    shape: Shape,
    values: ListValues,
    way: Way,
    isQuick: boolean,
  ): Promise<number> {
    const [row] = await read(statements.total(shape, way), values, isQuick)
    return row?.total ?? 0
  }

  /** The number of matching users, and the cheapest way to find them and those of the page. */
  async function countFiltered(
    shape: Shape,
    values: ListValues,
    isQuick: boolean,
  ): Promise<Counted> {
    if (shape.email || !(shape.q || shape.role))
      return { total: await count(shape, values, 'users first', isQuick), way: 'users first' }
    const candidates = await count(withoutFurtherFilters(shape), values, 'ids first', isQuick)
    const { total: all } =
      candidates > fewCandidates ? await counts.total(values.accountId) : { total: Infinity }
    // If most users are candidates, walking through all of them soon fills the page, in any order.
    const most = 2 * candidates >= all ? 'users first' : 'ids first'
    const isCounted = candidates === 0 || !hasFurtherFilters(shape)
    const total = isCounted ? candidates : await count(shape, values, most, isQuick)
    if (shape.q || candidates <= maxQuickRows) return { total, way: most }
    // The ids of a role are sorted by creation. In another order they are scattered, unlike users with a common prefix:
    // those are reached only after walking up to them.
    const walked = (all / total) * (values.limit + (shape.cursor ? 0 : values.offset))
    const isShort = shape.sort !== undefined && walked < candidates
    return { total, way: isShort ? 'users first' : 'ids first' }
  }

  return {
    list: async (accountId, request) => {
      const shape = toShape(request)
      const offset = (request.page - 1) * request.limit
      const isPlain = !isFiltered(shape) && shape.sort === undefined && shape.cursor === undefined
      const near =
        isPlain && offset <= nearOffset ? await findNearPage(accountId, request) : undefined
      if (near !== undefined) return near
      const values = toValues(accountId, request)
      const isQuick = await isQuickList(shape, values)
      const filtered = isFiltered(shape) ? await countFiltered(shape, values, isQuick) : undefined
      const counted = filtered === undefined ? await counts.total(accountId) : undefined
      const total = (counted ?? filtered)?.total ?? 0
      if (shape.cursor === undefined && offset >= total) return { users: [], total, hasMore: false }
      let rows =
        counted !== undefined && shape.sort === undefined && shape.cursor === undefined
          ? await readCountedPage(accountId, counted, request)
          : undefined
      if (rows === undefined) {
        rows = await read(statements.page(shape, filtered?.way ?? 'users first'), values, isQuick)
      }
      const users = rows.slice(0, request.limit).map(toVersionedUser)
      if (shape.cursor === undefined)
        return { users, total, hasMore: offset + users.length < total }
      if (shape.cursor === 'before') users.reverse()
      return { users, total, hasMore: rows.length > request.limit }
    },
  }
}
