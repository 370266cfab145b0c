import { sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../../sql/db.ts'

export type UserCountStatements = ReturnType<typeof createUserCountStatements>

/** The two tables that count users by ranges of ids. A row has the start of a range and its number of users. */
type Level = 'clientele_user_count_groups' | 'clientele_user_count_ranges'

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

/** The queries of totals and pages on the tables of counts, and on the counted users. */
export function createUserCountStatements(db: Db) {
  const { features } = db

  /** Stores counts; `nodes` is JSON. */
  const storeIn = (level: Level) =>
    db.statement<{ accountId: string; nodes: string }>()((queries, value) =>
      queries
        .insertInto(level)
        .columns(['account_id', 'lower_id', 'folded'])
        .expression((of) =>
          of
            .selectFrom(
              features
                .recordsOfJsonArray<{ lower_id: string; folded: number }>(value('nodes'), {
                  lower_id: 'id',
                  folded: 'counter',
                })
                .as('r'),
            )
            .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.lower_id', 'r.folded'])
            // Without a WHERE SQLite would parse ON CONFLICT as the ON of a join.
            .where('r.lower_id', 'is not', null),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'lower_id'])
            .doUpdateSet((of) => ({ folded: of.ref('excluded.folded') })),
        ),
    )
  const dropFrom = (level: Level) =>
    db.statement<{ accountId: string; nodes: string }>()((queries, value) =>
      queries
        .deleteFrom(level)
        .where('account_id', '=', value('accountId'))
        .where('lower_id', 'in', (of) =>
          of
            .selectFrom(
              features
                .recordsOfJsonArray<{ lower_id: string }>(value('nodes'), { lower_id: 'id' })
                .as('r'),
            )
            .select('r.lower_id'),
        ),
    )
  const clear = (level: Level) =>
    db.statement<{ accountId: string }>()((queries, value) =>
      queries.deleteFrom(level).where('account_id', '=', value('accountId')),
    )

  return {
    selectTotal: db.statement<{ accountId: string }>()((queries, value) =>
      queries.selectNoFrom((of) => [
        ...totalColumns(queries, value),
        sql<number>`coalesce(${of
          .selectFrom('clientele_user_counts')
          .where('account_id', '=', value('accountId'))
          .select('version')}, 0)`.as('version'),
      ]),
    ),
    selectGroups: db.statement<{ accountId: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_user_count_groups as g')
        .innerJoin('clientele_user_counts as c', 'c.account_id', 'g.account_id')
        .select(['g.lower_id', 'g.folded', 'c.version'])
        .where('g.account_id', '=', value('accountId'))
        .orderBy('g.lower_id'),
    ),
    /** From the group that contains an id on. */
    selectGroupsFrom: db.statement<{ accountId: string; id: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_user_count_groups')
        .select(['lower_id', 'folded'])
        .where('account_id', '=', value('accountId'))
        .where('lower_id', '>=', (of) =>
          of
            .selectFrom('clientele_user_count_groups')
            .select('lower_id')
            .where('account_id', '=', value('accountId'))
            .where('lower_id', '<=', value('id'))
            .orderBy('lower_id', 'desc')
            .limit(1),
        )
        .orderBy('lower_id'),
    ),
    /** The ranges after a position. */
    selectRangesFrom: db.statement<{ accountId: string; lowerId: string; limit: number }>()(
      (queries, value) =>
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
    ),
    takeDeltas: db.statement<{ accountId: string }>()((queries, value) =>
      queries
        .deleteFrom('clientele_user_count_deltas')
        .where('account_id', '=', value('accountId'))
        .returning(['user_id', 'delta']),
    ),
    addToTotal: db.statement<{ accountId: string; sum: number }>()((queries, value) =>
      queries
        .insertInto('clientele_user_counts')
        .values({ account_id: value('accountId'), version: 1, folded: value('sum') })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet((of) => ({
            version: of('clientele_user_counts.version', '+', 1),
            folded: of('clientele_user_counts.folded', '+', of.ref('excluded.folded')),
          })),
        ),
    ),
    setTotal: db.statement<{ accountId: string; total: number }>()((queries, value) =>
      queries
        .updateTable('clientele_user_counts')
        .set({ folded: value('total') })
        .where('account_id', '=', value('accountId')),
    ),
    storeGroups: storeIn('clientele_user_count_groups'),
    storeRanges: storeIn('clientele_user_count_ranges'),
    dropGroups: dropFrom('clientele_user_count_groups'),
    dropRanges: dropFrom('clientele_user_count_ranges'),
    clearGroups: clear('clientele_user_count_groups'),
    clearRanges: clear('clientele_user_count_ranges'),
    /** The number of users from an id on, up to `limit` */
    countFrom: db.statement<{ accountId: string; lowerId: string; limit: number }>()(
      (queries, value) =>
        queries
          .selectFrom((of) =>
            of
              .selectFrom('clientele_users')
              .select('id')
              .where('account_id', '=', value('accountId'))
              .where('id', '>=', value('lowerId'))
              .limit(value('limit'))
              .as('u'),
          )
          .select((of) => of.fn.countAll<number>().as('users')),
    ),
    /** Of the next `limit` users, every one at a multiple of the distance. */
    selectEveryNth: db.statement<{
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
    ),
  }
}
