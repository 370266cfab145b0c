import type { Route } from '../http/route.ts'

const maxWeight = 16
const bytesOfOne = 4096
/** One page of 100 starts in a turn: its users may have 28 KiB each. */
const entriesOfOne = 11

/** How many entries a response of the route has if the caller does not say */
export function usualEntriesOf({ querySchema }: Pick<Route, 'querySchema'>): number {
  const { limit } = Object(querySchema?.safeParse({}).data)
  return typeof limit === 'number' ? limit : 0
}

/**
 * The expected work of a request: from 1 for a small one to 16 for the largest body or page.
 *
 * @param bytes of its body
 * @param usualEntries of its route
 */
export function weighRequest(bytes: number, query: string, usualEntries: number): number {
  const entries = query === '' ? usualEntries : (readLimit(query) ?? usualEntries)
  return Math.min(maxWeight, 1 + Math.floor(Math.max(bytes / bytesOfOne, entries / entriesOfOne)))
}

const plainLimit = /(?:^|&)limit=(\d{1,9})(?:&|$)/

/** The parameter `limit`, also percent-encoded; undefined: there is none, or it is no number, which is refused later. */
function readLimit(query: string): number | undefined {
  const plain = plainLimit.exec(query)?.[1]
  if (plain !== undefined || !query.includes('%'))
    return plain === undefined ? undefined : Number(plain)
  const decoded = new URLSearchParams(query).get('limit') ?? ''
  return /^\d{1,9}$/.test(decoded) ? Number(decoded) : undefined
}
