import { sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../../sql/db.ts'

/** The number of an account's users, and how many deltas are not folded yet. */
export function totalColumns(queries: Queries, value: ParameterOf<{ accountId: string }>) {
  const counts = queries
    .selectFrom('clientele_user_counts')
    .where('account_id', '=', value('accountId'))
  const deltas = queries
    .selectFrom('clientele_user_count_deltas')
    .where('account_id', '=', value('accountId'))
  const sum = deltas.select(sql<number>`coalesce(sum(delta), 0)`.as('sum'))
  return [
    sql<number>`coalesce((${counts.select('folded')}), 0) + (${sum})`.as('total'),
    sql<number>`(${deltas.select(sql<number>`count(*)`.as('pending'))})`.as('pending'),
  ] as const
}

export function createTakeDeltas(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_user_count_deltas')
      .where('account_id', '=', value('accountId'))
      .returning(['user_id', 'delta']),
  )
}

export function createAddToTotal(db: Db) {
  return db.statement<{ accountId: string; sum: number }>()((queries, value) =>
    queries
      .insertInto('clientele_user_counts')
      .values({ account_id: value('accountId'), version: 1, folded: value('sum') })
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet((of) => ({
          version: of('clientele_user_counts.version', '+', 1),
          folded: of('clientele_user_counts.folded', '+', of.ref('excluded.folded')),
        })),
      ),
  )
}

/** The ranges after a position. */
export function createSelectRangesFrom(db: Db) {
  return db.statement<{ accountId: string; lowerId: string; limit: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_user_count_ranges as r')
      .select(['r.lower_id', 'r.folded'])
      .select((of) =>
        of
          .selectFrom('clientele_user_counts as c')
          .select('c.version')
          .where('c.account_id', '=', value('accountId'))
          .as('version'),
      )
      .where('r.account_id', '=', value('accountId'))
      .where('r.lower_id', '>=', value('lowerId'))
      .orderBy('r.lower_id')
      .limit(value('limit')),
  )
}

/** Selects every `step`-th of the next `limit` users after the first. */
export function createSelectEveryNth(db: Db) {
  return db.statement<{
    accountId: string
    lowerId: string
    limit: number
    step: number
  }>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_users')
          .select(['id', sql<number>`row_number() over (order by id)`.as('place')])
          .where('account_id', '=', value('accountId'))
          .where('id', '>=', value('lowerId'))
          .orderBy('id')
          .limit(value('limit'))
          .as('u'),
      )
      .select('u.id')
      .where('u.place', '>', 1)
      .where(sql<boolean>`(u.place - 1) % ${db.typed(value('step'), 'counter')} = 0`)
      .orderBy('u.id'),
  )
}
