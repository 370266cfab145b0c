import { lowestId } from '../../../../base/input/id.ts'
import type { Db } from '../../../../sql/db.ts'
import { run, type Transaction } from '../../../../sql/statement.ts'
import { lastAtMost } from './last-at-most.ts'
import type { Node, StoreCounts, Writes } from './store-counts.ts'
import { maxGroupSize, toGroups } from './to-groups.ts'
import {
  createAddToTotal,
  createSelectEveryNth,
  createSelectRangesFrom,
} from './user-count-statements.ts'

/** A range with more users than this is split. */
const maxRangeSize = 128
/** The number of users in the parts of a split range */
export const splitRangeSize = 64

export interface Delta {
  user_id: string
  delta: number
}

/** Makes the function that adds deltas to the counts of their ranges and groups, and to the total. */
export function createAddDeltas(db: Db, store: StoreCounts) {
  const selectGroupsFrom = createSelectGroupsFrom(db)
  const addToGroup = createAddToGroup(db)
  const addToTotal = createAddToTotal(db)

  return function* addDeltas(accountId: string, deltas: readonly Delta[]): Transaction<void> {
    const [first] = deltas
    if (first === undefined) return
    let lowest = first.user_id
    for (const { user_id } of deltas) if (user_id < lowest) lowest = user_id
    const found = yield* run(selectGroupsFrom, { accountId, id: lowest })
    const groups: Node[] = found.length > 0 ? found : [{ lower_id: lowestId, folded: 0 }]
    const deltasOf = divide(groups, deltas)
    const writes: Writes = { groups: [], ranges: [], droppedGroups: [], droppedRanges: [] }
    for (const [index, own] of deltasOf) {
      const group = groups[index]
      if (group === undefined) continue
      const end = groups[index + 1]?.lower_id
      yield* addToGroup(accountId, group, end, own, writes)
    }
    yield* store(accountId, writes)
    let sum = 0
    for (const { delta } of deltas) sum += delta
    yield* run(addToTotal, { accountId, sum })
  }
}

/** The groups from the one on that contains an id. */
function createSelectGroupsFrom(db: Db) {
  return db.statement<{ accountId: string; id: string }>()((queries, value) =>
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
  )
}

function createAddToGroup(db: Db) {
  const selectRangesFrom = createSelectRangesFrom(db)
  const split = createSplit(db)

  return function* addToGroup(
    accountId: string,
    group: Node,
    end: string | undefined,
    deltas: readonly Delta[],
    writes: Writes,
  ): Transaction<void> {
    const lowerId = group.lower_id
    const input = { accountId, lowerId, limit: maxGroupSize }
    const found = (yield* run(selectRangesFrom, input))
      .filter(({ lower_id }) => end === undefined || lower_id < end)
      .map(({ lower_id, folded }) => ({ lower_id, folded }))
    const ranges: Node[] = found.length > 0 ? found : [{ lower_id: lowerId, folded: 0 }]
    const left: Node[] = []
    const deltasOf = divide(ranges, deltas)
    for (const [index, range] of ranges.entries()) {
      const own = deltasOf.get(index)
      if (own === undefined) {
        left.push(range)
        continue
      }
      for (const { delta } of own) range.folded += delta
      // The first range stays, so that a group begins with its first range.
      if (range.folded === 0 && index > 0) writes.droppedRanges.push(range)
      else {
        const parts = yield* split(accountId, range)
        writes.ranges.push(...parts)
        left.push(...parts)
      }
    }
    const isEmpty = left.every(({ folded }) => folded === 0)
    if (!isEmpty || lowerId === lowestId) writes.groups.push(...toGroups(left))
    else {
      // Its ids now belong to the previous range.
      writes.droppedGroups.push(group)
      writes.droppedRanges.push(...left)
      writes.ranges = writes.ranges.filter((range) => !left.includes(range))
    }
  }
}

/** Makes the function that returns a range as it is, or split when it has grown too large. */
function createSplit(db: Db) {
  const selectEveryNth = createSelectEveryNth(db)

  return function* split(accountId: string, { lower_id, folded }: Node): Transaction<Node[]> {
    if (folded <= maxRangeSize) return [{ lower_id, folded }]
    const step = splitRangeSize
    const input = { accountId, lowerId: lower_id, limit: folded, step }
    const starts = yield* run(selectEveryNth, input)
    const lowerIds = [lower_id, ...starts.map(({ id }) => id)]
    return lowerIds.map((lowerId, index) => ({
      lower_id: lowerId,
      folded: index < starts.length ? step : folded - step * index,
    }))
  }
}

function divide(nodes: readonly Node[], deltas: readonly Delta[]): Map<number, Delta[]> {
  const lowerIds = nodes.map(({ lower_id }) => lower_id)
  const deltasOf = new Map<number, Delta[]>()
  for (const delta of deltas) {
    const index = Math.max(0, lastAtMost(lowerIds, delta.user_id))
    const own = deltasOf.get(index)
    if (own === undefined) deltasOf.set(index, [delta])
    else own.push(delta)
  }
  return deltasOf
}
