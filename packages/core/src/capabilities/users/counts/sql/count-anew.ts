import { lowestId } from '../../../../base/input/id.ts'
import type { Db } from '../../../../sql/db.ts'
import { run, type Transaction } from '../../../../sql/statement.ts'
import { splitRangeSize } from './fold-deltas.ts'
import type { Level, Node, StoreCounts } from './store-counts.ts'
import { toGroups } from './to-groups.ts'
import {
  createAddToTotal,
  createSelectEveryNth,
  createTakeDeltas,
} from './user-count-statements.ts'

/** How many ranges one statement recounts. */
const countedAtOnce = 1024

/** Makes the function that recounts an account from the users themselves; it returns the total. */
export function createRebuild(db: Db, store: StoreCounts) {
  const takeDeltas = createTakeDeltas(db)
  const countAnew = createCountAnew(db, store)
  const addToTotal = createAddToTotal(db)
  const setTotal = db.statement<{ accountId: string; total: number }>()((queries, value) =>
    queries
      .updateTable('clientele_user_counts')
      .set({ folded: value('total') })
      .where('account_id', '=', value('accountId')),
  )

  return function* rebuild(accountId: string): Transaction<number> {
    yield* run(takeDeltas, { accountId })
    const total = yield* countAnew(accountId)
    yield* run(addToTotal, { accountId, sum: 0 })
    yield* run(setTotal, { accountId, total })
    return total
  }
}

/** Makes the function that rebuilds all groups and ranges; it returns the number of users. */
function createCountAnew(db: Db, store: StoreCounts) {
  const clearGroups = clear(db, 'clientele_user_count_groups')
  const clearRanges = clear(db, 'clientele_user_count_ranges')
  const selectEveryNth = createSelectEveryNth(db)
  /** The number of users from an id on, up to `limit` */
  const countFrom = db.statement<{ accountId: string; lowerId: string; limit: number }>()(
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
  )

  return function* countAnew(accountId: string): Transaction<number> {
    yield* run(clearGroups, { accountId })
    yield* run(clearRanges, { accountId })
    const step = splitRangeSize
    const ranges: Node[] = []
    let lowerId = lowestId
    let starts: { id: string }[]
    // In parts: no statement takes longer in a large account.
    do {
      const input = { accountId, lowerId, limit: step * countedAtOnce + 1, step }
      starts = yield* run(selectEveryNth, input)
      for (const { id } of starts) {
        ranges.push({ lower_id: lowerId, folded: step })
        lowerId = id
      }
    } while (starts.length === countedAtOnce)
    const [rest] = yield* run(countFrom, { accountId, lowerId, limit: step })
    const folded = rest?.users ?? 0
    ranges.push({ lower_id: lowerId, folded })
    const groups = toGroups(ranges)
    yield* store(accountId, { groups, ranges, droppedGroups: [], droppedRanges: [] })
    return step * (ranges.length - 1) + folded
  }
}

function clear(db: Db, level: Level) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries.deleteFrom(level).where('account_id', '=', value('accountId')),
  )
}
