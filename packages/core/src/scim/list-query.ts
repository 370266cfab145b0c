import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import type { ListPart } from '../capabilities/scim/search-scim-users.ts'
import { withoutSchema } from './attribute-name.ts'
import type { AttributeValue, ReadAttribute } from './filter/match-filter.ts'

/** How many resources a response has at most, and how many if the caller does not say */
export const maxResults = 100
/** The last position of a list */
const maxIndex = 999_999_999
/** The longest list of attributes, and the longest filter that is parsed at all */
const maxText = 8_000

const text = z.string().max(maxText).optional()

/** Which attributes a response has (RFC 7644, section 3.9) */
export const attributesQuery = { attributes: text, excludedAttributes: text }
export const resourceQuerySchema = z.object(attributesQuery)
export const listQuerySchema = z.object({
  ...attributesQuery,
  filter: text,
  sortBy: text,
  sortOrder: text,
  startIndex: text,
  count: text,
})
export type ListQuery = z.output<typeof listQuerySchema>

export interface Order {
  attribute: string
  isDescending: boolean
}

/** @throws ClienteleError `scim_value_invalid` */
export function readPart({ startIndex, count }: ListQuery): ListPart & { startIndex: number } {
  // RFC 7644, section 3.4.2.4: a value below 1 is 1, a negative count is 0.
  const first = Math.min(Math.max(1, readNumber('startIndex', startIndex) ?? 1), maxIndex)
  const wanted = Math.max(0, readNumber('count', count) ?? maxResults)
  return { startIndex: first, skip: first - 1, count: Math.min(wanted, maxResults) }
}

function readNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^-?\d{1,12}$/.test(value)) return Number(value)
  throw new ClienteleError('scim_value_invalid', `${name} must be a whole number.`)
}

/**
 * Reads the order of a list; undefined: that of creation.
 *
 * @throws ClienteleError `scim_value_invalid`
 */
export function readOrder(
  { sortBy, sortOrder = 'ascending' }: ListQuery,
  attributes: ReadonlySet<string>,
): Order | undefined {
  if (sortBy === undefined) return undefined
  const attribute = withoutSchema(sortBy)
  if (!attributes.has(attribute)) {
    const message = `sortBy supports ${[...attributes].join(', ')}.`
    throw new ClienteleError('scim_value_invalid', message)
  }
  const order = sortOrder.toLowerCase()
  if (order === 'ascending' || order === 'descending')
    return { attribute, isDescending: order === 'descending' }
  throw new ClienteleError('scim_value_invalid', 'sortOrder must be ascending or descending.')
}

/** Sorts resources; those without a value come last, or first in a descending order (RFC 7644, section 3.4.2.3). */
export function sortBy<Item>(
  items: readonly Item[],
  { attribute, isDescending }: Order,
  read: ReadAttribute<Item>,
): Item[] {
  const keyed = items.map((item) => ({ item, key: toSortKey(read(item, attribute)[0]) }))
  keyed.sort((left, right) => compare(left.key, right.key))
  const sorted = keyed.map(({ item }) => item)
  return isDescending ? sorted.reverse() : sorted
}

function toSortKey(value: AttributeValue | undefined): string | undefined {
  return value === undefined ? undefined : String(value).toLowerCase()
}

function compare(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  return left < right ? -1 : 1
}
