import type { Node } from './store-counts.ts'

/** A group with more ranges than this is split. */
export const maxGroupSize = 128
/** The number of ranges in the parts of a split group */
const splitGroupSize = 64

/** The groups of ranges in ascending order: one, unless there are too many ranges. */
export function toGroups(ranges: readonly Node[]): Node[] {
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
