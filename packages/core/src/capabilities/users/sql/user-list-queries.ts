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

/** So many users are read in little time, wherever they are read. */
const maxQuickRows = 1_024
/** So few are looked up one by one in the time in which one more question is asked. */
const fewCandidates = 128
/** So often a page is read again when the counts were folded meanwhile. */
const maxAttempts = 3

interface Counted {
  total: number
  /** To the page */
  way: Way
}

/** As many pages are written as JSON in a few milliseconds. */
const maxSharedPages = 8

export function createUserListQueries(db: Db, counts: UserCounts): Pick<UserStore, 'list'> {
  const statements = new UserListStatements(db)

  // With its limit written out, and few users in the table, PostgreSQL would read and sort all of the account.
  const nearPage = db.statement<{ accountId: string; limit: number; offset: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        // Asked once, and not for each user
        .select(totalColumns(queries, value))
        .where('u.account_id', '=', value('accountId'))
        .orderBy('u.id')
        .limit(value('limit'))
        .offset(value('offset')),
  )

  /** Reads a page near the beginning with the total in one statement; undefined where it has no users. */
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

  /** Those who ask for the same page at the same time share a round trip. */
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
    // No row at all when the counts have been folded since, or when the page begins before `lowerId`. Said by the limit:
    // a condition would be asked for each user that is skipped.
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

  /** Reads a page in creation order from the counts; undefined where that is not quicker, or does not come to rest. */
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

  /** Reads beside the event loop, where there is such a place, what is not read in little time. */
  function read<Row>(
    statement: Statement<ListValues, Row>,
    values: ListValues,
    isQuick: boolean,
  ): Promise<Row[]> {
    return isQuick ? db.query(statement, values) : db.scan(statement, values)
  }

  /** Whether the list is read in little time: few users are looked at, or they are found by their index. */
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

  /** How many users pass the filters, and how they and those of the page are found with the least work. */
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
    // Where most users are candidates, a walk through all of them soon ends, in whatever order.
    const most = 2 * candidates >= all ? 'users first' : 'ids first'
    const isCounted = candidates === 0 || !hasFurtherFilters(shape)
    const total = isCounted ? candidates : await count(shape, values, most, isQuick)
    if (shape.q || candidates <= maxQuickRows) return { total, way: most }
    // The ids of a role come in creation order. In another order they stand anywhere, unlike what begins with the same
    // letters: so far one has to walk until the page is full.
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
