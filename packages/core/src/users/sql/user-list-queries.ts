import { type Compilable, sql } from 'kysely'
import type { Db, ParameterOf, Queries, Statement } from '../../sql/db.ts'
import { toVersionedUser, userColumns, type VisibleUserRow } from '../../sql/rows.ts'
import type { CountedUsers, UserCounts } from '../counts/sql/user-counts.ts'
import type { PageRequest, SortOrder } from '../page.ts'
import type { UserStore } from '../store.ts'

interface ListValues {
  accountId: string
  email: string
  from: string
  to: string
  role: string
  is_active: boolean
  createdAfter: number
  createdBefore: number
  cursorId: string
  cursorValue: string | number
  limit: number
  offset: number
}

const sortColumns = { createdAt: 'u.created_at', email: 'u.email', name: 'u.name_key' } as const

/** A statement that lists or counts is one of these shapes; each is compiled once. */
interface Shape {
  email: boolean
  q: boolean
  role: boolean
  isActive: boolean
  createdAfter: boolean
  createdBefore: boolean
  sort: SortOrder | undefined
  cursor: 'after' | 'before' | undefined
}

/** So many users are read in little time, wherever they are read. */
const maxQuickRows = 1_024
/** So often a page is read again when the counts were folded meanwhile. */
const maxAttempts = 3

export function createUserListQueries(db: Db, counts: UserCounts): Pick<UserStore, 'list'> {
  const lists = new Map<string, Statement<ListValues, VisibleUserRow>>()
  const totals = new Map<string, Statement<ListValues, { total: number }>>()

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

  function listStatement(shape: Shape): Statement<ListValues, VisibleUserRow> {
    return remembered(lists, JSON.stringify(shape), () =>
      db.statement<ListValues>()((queries, value) => {
        const descends = shape.sort?.startsWith('-') ?? false
        const reads = descends !== (shape.cursor === 'before') ? 'desc' : 'asc'
        const column =
          shape.sort && sortColumns[shape.sort.replace('-', '') as keyof typeof sortColumns]
        let query = filtered(queries, value, shape).select(userColumns)
        if (column !== undefined) query = query.orderBy(column, reads)
        // In creation order the roles' own index is walked, which stops at the limit.
        query = query.orderBy(
          sql.ref(shape.role && column === undefined ? 'r.user_id' : 'u.id'),
          reads,
        )
        query = query.limit(value('limit'))
        if (shape.cursor === undefined) return query.offset(value('offset'))
        const operator = sql.raw(reads === 'asc' ? '>' : '<')
        const id = value('cursorId')
        return column === undefined
          ? query.where(sql<boolean>`${sql.ref('u.id')} ${operator} ${id}`)
          : query.where(
              sql<boolean>`(${sql.ref(column)}, ${sql.ref('u.id')}) ${operator} (${value('cursorValue')}, ${id})`,
            )
      }),
    )
  }

  function totalStatement(shape: Shape): Statement<ListValues, { total: number }> {
    return remembered(
      totals,
      JSON.stringify({ ...shape, sort: undefined, cursor: undefined }),
      () => db.statement<ListValues>()((queries, value) => countOf(queries, value, shape)),
    )
  }

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

  /** Walks through the users of an account: through those of a large one beside the event loop. */
  async function walk<Row>(
    statement: Statement<ListValues, Row>,
    values: ListValues,
    isQuick: boolean,
  ): Promise<Row[]> {
    if (isQuick || db.driver.scan === undefined) return db.query(statement, values)
    const { total } = await counts.total(values.accountId)
    return total <= maxQuickRows ? db.query(statement, values) : db.scan(statement, values)
  }

  return {
    list: async (accountId, request) => {
      const shape = toShape(request)
      const offset = (request.page - 1) * request.limit
      const values = toValues(accountId, request)
      const isFiltered = filtersOf(shape).length > 0
      const counted = isFiltered
        ? {
            total: (await walk(totalStatement(shape), values, shape.email))[0]?.total ?? 0,
            version: 0,
            pending: 0,
          }
        : await counts.total(accountId)
      const { total } = counted
      // By its index a page is found at once, unless it stands far behind the place where reading begins.
      const isQuick =
        shape.email || (!isFiltered && (shape.cursor !== undefined || offset <= maxQuickRows))
      if (shape.cursor === undefined && offset >= total) return { users: [], total, hasMore: false }
      const rows =
        (shape.sort === undefined && shape.cursor === undefined
          ? await readCountedPage(accountId, counted, request)
          : undefined) ?? (await walk(listStatement(shape), values, isQuick))
      const users = rows.slice(0, request.limit).map(toVersionedUser)
      if (shape.cursor === undefined)
        return { users, total, hasMore: offset + users.length < total }
      if (shape.cursor === 'before') users.reverse()
      return { users, total, hasMore: rows.length > request.limit }
    },
  }
}

function filtered(queries: Queries, value: ParameterOf<ListValues>, shape: Shape) {
  let query = queries
    .selectFrom('clientele_users as u')
    .where('u.account_id', '=', value('accountId'))
  if (shape.email) query = query.where('u.email', '=', value('email'))
  if (shape.isActive) query = query.where('u.is_active', '=', value('is_active'))
  if (shape.createdAfter) query = query.where('u.created_at', '>', value('createdAfter'))
  if (shape.createdBefore) query = query.where('u.created_at', '<', value('createdBefore'))
  if (shape.q) query = query.where('u.id', 'in', matchesOf(queries, value))
  return query.$if(shape.role, (unjoined) =>
    unjoined
      .innerJoin('clientele_user_roles as r', (join) =>
        join.onRef('r.account_id', '=', 'u.account_id').onRef('r.user_id', '=', 'u.id'),
      )
      .where('r.account_id', '=', value('accountId'))
      .where('r.role', '=', value('role')),
  )
}

/** Counts from the index that has the answer alone, if there is one, so that no user need be read. */
function countOf(
  queries: Queries,
  value: ParameterOf<ListValues>,
  shape: Shape,
): Compilable<{ total: number }> {
  const [filter, ...others] = filtersOf(shape)
  if (filter === 'role' && others.length === 0) {
    return queries
      .selectFrom('clientele_user_roles')
      .select((of) => of.fn.countAll<number>().as('total'))
      .where('account_id', '=', value('accountId'))
      .where('role', '=', value('role'))
  }
  if (filter === 'q' && others.length === 0) {
    return queries
      .selectFrom(matchesOf(queries, value).as('matches'))
      .select((of) => of.fn.countAll<number>().as('total'))
  }
  return filtered(queries, value, shape).select((of) => of.fn.countAll<number>().as('total'))
}

/** A range of each of three indexes: an OR would have two of them scanned. */
function matchesOf(queries: Queries, value: ParameterOf<ListValues>) {
  const matches = (column: 'email' | 'name_key') =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where(column, '>=', value('from'))
      .where(column, '<', value('to'))
  const furtherWords = queries
    .selectFrom('clientele_user_words')
    .select('user_id as id')
    .where('account_id', '=', value('accountId'))
    .where('word', '>=', value('from'))
    .where('word', '<', value('to'))
  return matches('email').union(matches('name_key')).union(furtherWords)
}

function filtersOf({ sort: _sort, cursor: _cursor, ...filters }: Shape): string[] {
  return Object.entries(filters).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
}

function toShape(request: PageRequest): Shape {
  return {
    email: request.email !== undefined,
    q: request.q !== undefined,
    role: request.role !== undefined,
    isActive: request.isActive !== undefined,
    createdAfter: request.createdAfter !== undefined,
    createdBefore: request.createdBefore !== undefined,
    sort: request.sort,
    cursor: request.cursor?.direction,
  }
}

function toValues(accountId: string, request: PageRequest): ListValues {
  return {
    accountId,
    email: request.email ?? '',
    from: request.q ?? '',
    to: request.q === undefined ? '' : endOfPrefix(request.q),
    role: request.role ?? '',
    is_active: request.isActive ?? true,
    createdAfter: request.createdAfter ?? 0,
    createdBefore: request.createdBefore ?? 0,
    cursorId: request.cursor?.id ?? '',
    cursorValue: request.cursor?.value ?? '',
    // By a cursor the total says nothing of what is left: one row more does.
    limit: request.limit + (request.cursor === undefined ? 0 : 1),
    offset: (request.page - 1) * request.limit,
  }
}

/** The least text that sorts behind every text with the prefix. */
function endOfPrefix(prefix: string): string {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0
    if (last < 0x10ffff) {
      const next = last + 1
      // Surrogates are no code points of a text: behind U+D7FF comes U+E000.
      return (
        points.join('') + String.fromCodePoint(next >= 0xd800 && next <= 0xdfff ? 0xe000 : next)
      )
    }
  }
  return '\u{10FFFF}\u{10FFFF}'
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  let item = known.get(key)
  if (item === undefined) {
    item = make()
    known.set(key, item)
  }
  return item
}
