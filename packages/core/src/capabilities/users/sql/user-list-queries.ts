import type { Db } from '../../../sql/db.ts'
import type { Statement } from '../../../sql/statement.ts'
import { nearOffset, type UserCounts } from '../counts/sql/user-counts.ts'
import type { UserStore } from '../store.ts'
import { createReadCountedPage } from './counted-page.ts'
import { createFindNearPage } from './near-page.ts'
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
import {
  createEncodedReading,
  type PageReading,
  plainReading,
  toVersionedUser,
} from './user-rows.ts'

/** This many users are read quickly, wherever they are stored. */
const maxQuickRows = 1_024
/** This many users are looked up one by one in the time of another query. */
const fewCandidates = 128

interface Counted {
  total: number
  /** The cheapest way to the matching users, up to the end of the page */
  way: Way
}

export function createUserListQueries(
  db: Db,
  counts: UserCounts,
): Pick<UserStore, 'list' | 'listEncoded'> {
  const list = createList(db, counts, plainReading)
  const encodedReading = createEncodedReading(db.reads)
  if (encodedReading === undefined) return { list }
  const listEncoded = createList(db, counts, encodedReading)
  // The rows have JSON as bytes, as the reading says.
  return { list, listEncoded: listEncoded as unknown as NonNullable<UserStore['listEncoded']> }
}

function createList(db: Db, counts: UserCounts, reading: PageReading): UserStore['list'] {
  const statements = new UserListStatements(db, reading)
  const findNearPage = createFindNearPage(db.reads, counts, reading)
  const readCountedPage = createReadCountedPage(db.reads, counts, reading)

  /** Runs a potentially slow read outside of the event loop, if the database supports that. */
  function read<Row>(
    statement: Statement<ListValues, Row>,
    values: ListValues,
    isQuick: boolean,
  ): Promise<Row[]> {
    return isQuick ? db.reads.query(statement, values) : db.reads.scan(statement, values)
  }

  /** Whether the list is fast: few users are read, or an index finds them. */
  async function isQuickList(shape: Shape, values: ListValues): Promise<boolean> {
    if (reading.isBeside) return false
    if (db.driver.scan === undefined || shape.email) return true
    const isNear = shape.cursor !== undefined || values.offset <= maxQuickRows
    if (!isFiltered(shape) && isNear) return true
    if (shape.q || shape.role) {
      const sizes = await db.reads.queryOne(statements.sizes(shape, maxQuickRows + 1), values)
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

  const countFiltered = createCountFiltered(counts, count)

  return async (accountId, request) => {
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
    if (shape.cursor === undefined) return { users, total, hasMore: offset + users.length < total }
    if (shape.cursor === 'before') users.reverse()
    return { users, total, hasMore: rows.length > request.limit }
  }
}

/**
 * Makes the function that counts the matching users, and chooses the cheapest way to find them and the users of the
 * page.
 */
function createCountFiltered(
  counts: UserCounts,
  count: (shape: Shape, values: ListValues, way: Way, isQuick: boolean) => Promise<number>,
) {
  return async function countFiltered(
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
    // In an order other than that of creation, the users of a role are scattered, so a walk soon meets some of them.
    // Users with a common prefix stand together, and a walk may meet them last.
    const walked = (all / total) * (values.limit + (shape.cursor ? 0 : values.offset))
    const isShort = shape.sort !== undefined && walked < candidates
    return { total, way: isShort ? 'users first' : 'ids first' }
  }
}
