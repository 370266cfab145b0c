import { lowestId } from '../../../../base/input/id.ts'
import { run, type Statement, type Transaction } from '../../../../sql/db.ts'
import { lastAtMost } from './last-at-most.ts'
import type { UserCountStatements } from './user-count-statements.ts'

/** A range that counts more users than this is split … */
const maxRangeSize = 128
/** … into ranges of this size. */
const splitRangeSize = 64
/** A group has at most this many ranges; a larger one is split … */
export const maxGroupSize = 128
/** … into groups of this size. */
const splitGroupSize = 64
/** How many ranges one statement recounts. */
const countedAtOnce = 1024
/** How many counts one statement stores. */
const storedAtOnce = 5000

export interface Delta {
  user_id: string
  delta: number
}

/** The start of a range or group, and its number of users */
interface Node {
  lower_id: string
  folded: number
}

/** The changes to write on both levels */
interface Writes {
  groups: Node[]
  ranges: Node[]
  droppedGroups: Node[]
  droppedRanges: Node[]
}

/** Adds deltas to the counts of their ranges and groups, and to the total. */
export function* addDeltas(
  statements: UserCountStatements,
  accountId: string,
  deltas: readonly Delta[],
): Transaction<void> {
  const [first] = deltas
  if (first === undefined) return
  let lowest = first.user_id
  for (const { user_id } of deltas) if (user_id < lowest) lowest = user_id
  const found = yield* run(statements.selectGroupsFrom, { accountId, id: lowest })
  const groups: Node[] = found.length > 0 ? found : [{ lower_id: lowestId, folded: 0 }]
  const deltasOf = divide(groups, deltas)
  const writes: Writes = { groups: [], ranges: [], droppedGroups: [], droppedRanges: [] }
  for (const [index, own] of deltasOf) {
    const group = groups[index]
    if (group === undefined) continue
    const end = groups[index + 1]?.lower_id
    yield* addToGroup(statements, accountId, group, end, own, writes)
  }
  yield* store(statements, accountId, writes)
  let sum = 0
  for (const { delta } of deltas) sum += delta
  yield* run(statements.addToTotal, { accountId, sum })
}

/** Rebuilds all groups and ranges; returns the number of users. */
export function* countAnew(
  statements: UserCountStatements,
  accountId: string,
): Transaction<number> {
  yield* run(statements.clearGroups, { accountId })
  yield* run(statements.clearRanges, { accountId })
  const step = splitRangeSize
  const ranges: Node[] = []
  let lowerId = lowestId
  let starts: { id: string }[]
  // In parts: no statement takes longer in a large account.
  do {
    const input = { accountId, lowerId, limit: step * countedAtOnce + 1, step }
    starts = yield* run(statements.selectEveryNth, input)
    for (const { id } of starts) {
      ranges.push({ lower_id: lowerId, folded: step })
      lowerId = id
    }
  } while (starts.length === countedAtOnce)
  const [rest] = yield* run(statements.countFrom, { accountId, lowerId, limit: step })
  const folded = rest?.users ?? 0
  ranges.push({ lower_id: lowerId, folded })
  const groups = toGroups(ranges)
  yield* store(statements, accountId, { groups, ranges, droppedGroups: [], droppedRanges: [] })
  return step * (ranges.length - 1) + folded
}

function* addToGroup(
  statements: UserCountStatements,
  accountId: string,
  group: Node,
  end: string | undefined,
  deltas: readonly Delta[],
  writes: Writes,
): Transaction<void> {
  const lowerId = group.lower_id
  const input = { accountId, lowerId, limit: maxGroupSize }
  const found = (yield* run(statements.selectRangesFrom, input))
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
      const parts = yield* split(statements, accountId, range)
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

/** A range as it is, or split when it has grown too large. */
function* split(
  statements: UserCountStatements,
  accountId: string,
  { lower_id, folded }: Node,
): Transaction<Node[]> {
  if (folded <= maxRangeSize) return [{ lower_id, folded }]
  const step = splitRangeSize
  const input = { accountId, lowerId: lower_id, limit: folded, step }
  const starts = yield* run(statements.selectEveryNth, input)
  const lowerIds = [lower_id, ...starts.map(({ id }) => id)]
  return lowerIds.map((lowerId, index) => ({
    lower_id: lowerId,
    folded: index < starts.length ? step : folded - step * index,
  }))
}

/** The groups of ranges in ascending order: one, unless there are too many ranges. */
function toGroups(ranges: readonly Node[]): Node[] {
  const size = ranges.length > maxGroupSize ? splitGroupSize : maxGroupSize
  const groups: Node[] = []
  for (let start = 0; start < ranges.length; start += size) {
    const [first, ...others] = ranges.slice(start, start + size)
    if (first === undefined) break
    let { folded } = first
    for (const other of others) folded += other.folded
    groups.push({ lower_id: first.lower_id, folded })
  }
  return groups
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

function* store(
  statements: UserCountStatements,
  accountId: string,
  { groups, ranges, droppedGroups, droppedRanges }: Writes,
): Transaction<void> {
  const all: [Statement<{ accountId: string; nodes: string }, unknown>, Node[]][] = [
    [statements.dropGroups, droppedGroups],
    [statements.dropRanges, droppedRanges],
    [statements.storeGroups, groups],
    [statements.storeRanges, ranges],
  ]
  for (const [statement, nodes] of all) {
    for (let start = 0; start < nodes.length; start += storedAtOnce) {
      const part = nodes.slice(start, start + storedAtOnce)
      yield* run(statement, { accountId, nodes: JSON.stringify(part) })
    }
  }
}
