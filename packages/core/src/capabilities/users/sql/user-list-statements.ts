import { type Compilable, type Expression, sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import type { Statement } from '../../../sql/statement.ts'
import { countIdsUpTo, idsOf, lookUp, walk } from './user-list-filters.ts'
import { hasFurtherFilters, type ListValues, type Shape } from './user-list-shape.ts'
import type { PageReading, VisibleUserRow } from './user-rows.ts'

/**
 * How the users that match `q` and `role` are found. Either their ids come from the indexes, and each user is looked up
 * by id; or the users are walked in the order of the list, and each is checked.
 */
export type Way = 'ids first' | 'users first'

const sortColumns = { createdAt: 'u.created_at', email: 'u.email', name: 'u.name_key' } as const

/** The statements of lists with filters or a sort order, each created on first use. */
export class UserListStatements {
  readonly #db: Db
  readonly #columns: PageReading['columns']
  readonly #pages = new Map<string, Statement<ListValues, VisibleUserRow>>()
  readonly #totals = new Map<string, Statement<ListValues, { total: number }>>()

  constructor(db: Db, { columns }: PageReading) {
    this.#db = db
    this.#columns = columns
  }

  page(shape: Shape, way: Way): Statement<ListValues, VisibleUserRow> {
    return remembered(this.#pages, JSON.stringify([shape, way]), () =>
      this.#db.statement<ListValues>()((queries, value) =>
        pageOf(this.#db, this.#columns, queries, value, shape, way),
      ),
    )
  }

  total(shape: Shape, way: Way): Statement<ListValues, { total: number }> {
    const key = JSON.stringify([{ ...shape, sort: undefined, cursor: undefined }, way])
    return remembered(this.#totals, key, () =>
      this.#db.statement<ListValues>()((queries, value) =>
        totalOf(this.#db, queries, value, shape, way),
      ),
    )
  }

  /** How many ids match `q` and `role` in their indexes, counted up to a limit. */
  sizes(shape: Shape, limit: number): Statement<ListValues, { total: number }> {
    return remembered(this.#totals, JSON.stringify([shape.q, shape.role, limit]), () =>
      this.#db.statement<ListValues>()((queries, value) =>
        countIdsUpTo(queries, value, shape, limit),
      ),
    )
  }
}

function pageOf(
  db: Db,
  columns: PageReading['columns'],
  queries: Queries,
  value: ParameterOf<ListValues>,
  shape: Shape,
  way: Way,
): Compilable<VisibleUserRow> {
  const descends = shape.sort?.startsWith('-') ?? false
  const reads = descends !== (shape.cursor === 'before') ? 'desc' : 'asc'
  const operator = sql.raw(reads === 'asc' ? '>' : '<')
  const isBehindCursor = (id: Expression<unknown>) =>
    sql<boolean>`${id} ${operator} ${value('cursorId')}`
  const ids = way === 'ids first' ? idsOf(queries, value, shape) : undefined

  if (shape.sort === undefined && ids !== undefined) {
    // Ids are in creation order. If there are no further filters, only the users of the page are looked up.
    const id = sql.ref<string>('i.id')
    const isCut = !hasFurtherFilters(shape)
    const ordered = queries
      .selectFrom(ids.as('i'))
      .select('i.id')
      .$if(shape.cursor !== undefined, (all) => all.where(isBehindCursor(id)))
      .$if(isCut, (all) => all.orderBy(id, reads).limit(value('limit')))
      .$if(isCut && shape.cursor === undefined, (all) => all.offset(value('offset')))
    const users = lookUp(db, queries, value, ordered, shape)
      .select(columns)
      .orderBy('ids.id', reads)
    if (isCut) return users
    const limited = users.limit(value('limit'))
    return shape.cursor === undefined ? limited.offset(value('offset')) : limited
  }

  const column = shape.sort && sortColumns[shape.sort.replace('-', '') as keyof typeof sortColumns] // the names of all sort orders
  const users =
    ids === undefined ? walk(queries, value, shape) : lookUp(db, queries, value, ids, shape)
  let page = users.select(columns)
  if (column !== undefined) page = page.orderBy(column, reads)
  page = page.orderBy('u.id', reads).limit(value('limit'))
  if (shape.cursor === undefined) return page.offset(value('offset'))
  const id = sql.ref('u.id')
  return page.where(
    column === undefined
      ? isBehindCursor(id)
      : sql<boolean>`(${sql.ref(column)}, ${id}) ${operator} (${value('cursorValue')}, ${value('cursorId')})`,
  )
}

/** Counts in the indexes alone, without reading users, if there are no further filters. */
function totalOf(
  db: Db,
  queries: Queries,
  value: ParameterOf<ListValues>,
  shape: Shape,
  way: Way,
): Compilable<{ total: number }> {
  const ids = way === 'ids first' ? idsOf(queries, value, shape) : undefined
  const counted =
    ids === undefined
      ? walk(queries, value, shape)
      : hasFurtherFilters(shape)
        ? lookUp(db, queries, value, ids, shape)
        : queries.selectFrom(ids.as('ids'))
  return counted.select(sql<number>`count(*)`.as('total'))
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  let item = known.get(key)
  if (item === undefined) {
    item = make()
    known.set(key, item)
  }
  return item
}
