import type { Db } from '../../../../sql/db.ts'
import { run, type Statement, type Transaction } from '../../../../sql/statement.ts'

/** The two tables that count users by ranges of ids. A row has the start of a range and its number of users. */
export type Level = 'clientele_user_count_groups' | 'clientele_user_count_ranges'

/** How many counts one statement stores. */
const storedAtOnce = 5000

/** The start of a range or group, and its number of users */
export interface Node {
  lower_id: string
  folded: number
}

/** The changes to write on both levels */
export interface Writes {
  groups: Node[]
  ranges: Node[]
  droppedGroups: Node[]
  droppedRanges: Node[]
}

export type StoreCounts = ReturnType<typeof createStoreCounts>

export function createStoreCounts(db: Db) {
  const dropGroups = dropFrom(db, 'clientele_user_count_groups')
  const dropRanges = dropFrom(db, 'clientele_user_count_ranges')
  const storeGroups = storeIn(db, 'clientele_user_count_groups')
  const storeRanges = storeIn(db, 'clientele_user_count_ranges')

  return function* store(
    accountId: string,
    { groups, ranges, droppedGroups, droppedRanges }: Writes,
  ): Transaction<void> {
    const all: [Statement<{ accountId: string; nodes: string }, unknown>, Node[]][] = [
      [dropGroups, droppedGroups],
      [dropRanges, droppedRanges],
      [storeGroups, groups],
      [storeRanges, ranges],
    ]
    for (const [statement, nodes] of all) {
      for (let start = 0; start < nodes.length; start += storedAtOnce) {
        const part = nodes.slice(start, start + storedAtOnce)
        yield* run(statement, { accountId, nodes: JSON.stringify(part) })
      }
    }
  }
}

/** Stores counts; `nodes` is JSON. */
function storeIn(db: Db, level: Level) {
  return db.statement<{ accountId: string; nodes: string }>()((queries, value) =>
    queries
      .insertInto(level)
      .columns(['account_id', 'lower_id', 'folded'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
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
}

function dropFrom(db: Db, level: Level) {
  return db.statement<{ accountId: string; nodes: string }>()((queries, value) =>
    queries
      .deleteFrom(level)
      .where('account_id', '=', value('accountId'))
      .where('lower_id', 'in', (of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ lower_id: string }>(value('nodes'), { lower_id: 'id' })
              .as('r'),
          )
          .select('r.lower_id'),
      ),
  )
}
