import { isId } from '../../base/input/id.ts'
import type { Filter } from './filter.ts'
import { readFlag } from './match-filter.ts'

/** A filter that the list of users has */
export interface ListedFilter {
  isActive?: boolean | undefined
  groupId?: string | undefined
}

/** Reads a filter of `active`, of one group, or of both; undefined for any other. No filter is one, too. */
export function readListedFilter(filter: Filter | undefined): ListedFilter | undefined {
  if (filter === undefined) return {}
  const parts = filter.kind === 'and' ? filter.parts : [filter]
  const listed: ListedFilter = {}
  for (const part of parts) {
    if (part.kind !== 'compare' || part.operator !== 'eq') return undefined
    const { attribute, value } = part
    const flag = typeof value === 'string' ? readFlag(value) : value
    if (attribute === 'active' && typeof flag === 'boolean' && listed.isActive === undefined)
      listed.isActive = flag
    else if (attribute.startsWith('groups') && isId(value) && listed.groupId === undefined)
      listed.groupId = value
    else return undefined
  }
  return listed
}
