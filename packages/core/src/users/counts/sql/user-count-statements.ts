import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'

export type UserCountStatements = ReturnType<typeof createUserCountStatements>

/** What `UserCounts` asks of its three tables, and of the users that they count. */
export function createUserCountStatements(db: Db) {
  return {
    selectTotal: db.statement<{ accountId: string }>()((queries, value) =>
      queries.selectNoFrom((of) => {
        const counts = of
          .selectFrom('clientele_user_counts')
          .where('account_id', '=', value('accountId'))
        const deltas = of
          .selectFrom('clientele_user_count_deltas')
          .where('account_id', '=', value('accountId'))
        const sum = deltas.select(sql<number>`coalesce(sum(delta), 0)`.as('sum'))
        return [
          sql<number>`coalesce(${counts.select('folded')}, 0) + ${sum}`.as('total'),
          sql<number>`coalesce(${counts.select('version')}, 0)`.as('version'),
          deltas.select((delta) => delta.fn.countAll<number>().as('pending')).as('pending'),
        ]
      }),
    ),
    selectRanges: db.statement<{ accountId: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_user_count_ranges as r')
        .innerJoin('clientele_user_counts as c', 'c.account_id', 'r.account_id')
        .select(['r.lower_id', 'r.folded', 'c.version'])
        .where('r.account_id', '=', value('accountId'))
        .orderBy('r.lower_id'),
    ),
    /** From the range that an id belongs to on. */
    selectRangesFrom: db.statement<{ accountId: string; id: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_user_count_ranges')
        .select(['lower_id', 'folded'])
        .where('account_id', '=', value('accountId'))
        .where('lower_id', '>=', (of) =>
          of
            .selectFrom('clientele_user_count_ranges')
            .select('lower_id')
            .where('account_id', '=', value('accountId'))
            .where('lower_id', '<=', value('id'))
            .orderBy('lower_id', 'desc')
            .limit(1),
        )
        .orderBy('lower_id'),
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
    setRange: db.statement<{ accountId: string; lowerId: string; folded: number }>()(
      (queries, value) =>
        queries
          .insertInto('clientele_user_count_ranges')
          .values({
            account_id: value('accountId'),
            lower_id: value('lowerId'),
            folded: value('folded'),
          })
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'lower_id'])
              .doUpdateSet((of) => ({ folded: of.ref('excluded.folded') })),
          ),
    ),
    dropRange: db.statement<{ accountId: string; lowerId: string }>()((queries, value) =>
      queries
        .deleteFrom('clientele_user_count_ranges')
        .where('account_id', '=', value('accountId'))
        .where('lower_id', '=', value('lowerId')),
    ),
    dropRanges: db.statement<{ accountId: string }>()((queries, value) =>
      queries
        .deleteFrom('clientele_user_count_ranges')
        .where('account_id', '=', value('accountId')),
    ),
    countUsers: db.statement<{ accountId: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_users')
        .select((of) => of.fn.countAll<number>().as('total'))
        .where('account_id', '=', value('accountId')),
    ),
    userBehind: db.statement<{ accountId: string; lowerId: string; distance: number }>()(
      (queries, value) =>
        queries
          .selectFrom('clientele_users')
          .select('id')
          .where('account_id', '=', value('accountId'))
          .where('id', '>=', value('lowerId'))
          .orderBy('id')
          .limit(1)
          .offset(value('distance')),
    ),
  }
}
