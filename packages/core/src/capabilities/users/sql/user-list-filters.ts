import { type Compilable, type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import type { Database, UserRow } from '../../../sql/tables/tables.ts'
import type { ListValues, Shape } from './user-list-shape.ts'

// No statement here joins two sets by a condition: a database that expects both to be small compares each row of one
// with each of the other. Sets of ids are intersected; users are looked up or checked one by one.

/** More than any name has */
const maxWords = 1000

type Ids = SelectQueryBuilder<Database, never, { id: string }>
type UserTables = Database & { u: UserRow }
type FoundUsers = SelectQueryBuilder<UserTables & { ids: { id: string } }, 'u' | 'ids', object>

/** The ids of the users that match `q` and `role`; undefined when neither is given. */
export function idsOf(
  queries: Queries,
  value: ParameterOf<ListValues>,
  shape: Shape,
): Ids | undefined {
  const [email, name, word] = matchesOf(queries, value)
  const ids = withRole(queries, value)
  const found = queries.selectFrom(email.union(name).union(word).as('m')).select('m.id')
  if (shape.q) return (shape.role ? found.intersect(ids) : found) as never // a query of ids
  return shape.role ? (ids as never) : undefined // a query of ids, too
}

/** The numbers of ids in the indexes of `q` and `role`, each counted up to a limit. */
export function countIdsUpTo(
  queries: Queries,
  value: ParameterOf<ListValues>,
  shape: Shape,
  limit: number,
): Compilable<{ total: number }> {
  const sets = [
    ...(shape.q ? matchesOf(queries, value) : []),
    ...(shape.role ? [withRole(queries, value)] : []),
  ]
  const sizes = sets.map((ids) => {
    const first = (ids as Ids).limit(sql.lit(limit)).as('first') // a query of ids
    return sql`(${queries.selectFrom(first).select(sql`count(*)`.as('size'))})`
  })
  return queries.selectNoFrom(sql<number>`${sql.join(sizes, sql` + `)}`.as('total'))
}

/** A range of each of three indexes: with an OR two of them would be scanned. */
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
  return [matches('email'), matches('name_key'), furtherWords] as const
}

function withRole(queries: Queries, value: ParameterOf<ListValues>) {
  return queries
    .selectFrom('clientele_user_roles')
    .select('user_id as id')
    .where('account_id', '=', value('accountId'))
    .where('role', '=', value('role'))
}

/** The users with these ids that pass the other filters, looked up one by one. */
export function lookUp(
  db: Db,
  queries: Queries,
  value: ParameterOf<ListValues>,
  ids: Ids,
  shape: Shape,
): FoundUsers {
  const from = queries.selectFrom(ids.as('ids'))
  const users = db.features.supportsLateral
    ? from.crossJoinLateral((of) =>
        of
          .selectFrom('clientele_users')
          .selectAll()
          .where('account_id', '=', value('accountId'))
          .whereRef('id', '=', 'ids.id')
          // The key includes it, so that the index can count it
          .$if(shape.isActive, (user) => user.where('is_active', '=', value('is_active')))
          // The limit keeps the planner from turning it into an ordinary join.
          .limit(sql.lit(1))
          .as('u'),
      )
    : from
        .crossJoin('clientele_users as u')
        .where('u.account_id', '=', value('accountId'))
        .whereRef('u.id', '=', 'ids.id')
  return withFurtherFilters(users as FoundUsers, value, shape) // both select the users' columns
}

/** The users of the account that pass all filters, checked one by one. */
export function walk(queries: Queries, value: ParameterOf<ListValues>, shape: Shape): FoundUsers {
  let users = queries
    .selectFrom('clientele_users as u')
    .where('u.account_id', '=', value('accountId'))
  if (shape.email) users = users.where('u.email', '=', value('email'))
  if (shape.role) users = users.where((of) => of(roleOf(of, value), 'is not', null))
  if (shape.q) {
    users = users.where((of) =>
      of.or([
        of.and([of('u.email', '>=', value('from')), of('u.email', '<', value('to'))]),
        of.and([of('u.name_key', '>=', value('from')), of('u.name_key', '<', value('to'))]),
        of(wordOf(of, value), 'is not', null),
      ]),
    )
  }
  return withFurtherFilters(users as unknown as FoundUsers, value, shape) // without the ids column, which only look-ups read
}

function withFurtherFilters(
  users: FoundUsers,
  value: ParameterOf<ListValues>,
  shape: Shape,
): FoundUsers {
  return users
    .$if(shape.isActive, (all) => all.where('u.is_active', '=', value('is_active')))
    .$if(shape.createdAfter, (all) => all.where('u.created_at', '>', value('createdAfter')))
    .$if(shape.createdBefore, (all) => all.where('u.created_at', '<', value('createdBefore')))
}

/** The requested role, if the user has it. A scalar subquery: an EXISTS may be planned as a join. */
function roleOf(of: ExpressionBuilder<UserTables, 'u'>, value: ParameterOf<ListValues>) {
  return of
    .selectFrom('clientele_user_roles as r')
    .select('r.role')
    .where('r.account_id', '=', value('accountId'))
    .where('r.role', '=', value('role'))
    .whereRef('r.user_id', '=', 'u.id')
    .limit(sql.lit(1))
}

/** A later word of the user's name that begins with the searched text. */
function wordOf(of: ExpressionBuilder<UserTables, 'u'>, value: ParameterOf<ListValues>) {
  const words = of
    .selectFrom('clientele_user_words')
    .select('word')
    .where('account_id', '=', value('accountId'))
    .whereRef('user_id', '=', 'u.id')
    // Keeps the planner from combining the two conditions: these words are found by their user.
    .limit(sql.lit(maxWords))
    .as('w')
  return of
    .selectFrom(words)
    .select('w.word')
    .where('w.word', '>=', value('from'))
    .where('w.word', '<', value('to'))
    .limit(sql.lit(1))
}
