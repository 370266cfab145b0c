import { ClienteleError } from '../base/errors.ts'
import { isStorableText } from '../base/input/json.ts'
import { withoutSchema } from './attribute-name.ts'
import { readFlag } from './filter/match-filter.ts'

/** The members of a resource by their names in lower case: names have no case (RFC 7643, section 2.1). */
export function readAttributes(resource: Record<string, unknown>): Map<string, unknown> {
  return new Map(Object.entries(resource).map(([name, value]) => [withoutSchema(name), value]))
}

/** A flag, which Entra ID sends as text. @throws ClienteleError `scim_value_invalid` */
export function readBoolean(name: string, value: unknown): boolean {
  const flag = typeof value === 'string' ? readFlag(value) : value
  if (typeof flag === 'boolean') return flag
  throw new ClienteleError('scim_value_invalid', `${name} must be true or false.`)
}

/** A text; null for an absent or empty one. @throws ClienteleError `scim_value_invalid` */
export function readText(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  // Some clients send ids as numbers.
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string' && isStorableText(value)) return value
  throw new ClienteleError('scim_value_invalid', `${name} must be a text.`)
}
