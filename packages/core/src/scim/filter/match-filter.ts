import { toNameKey } from '../../capabilities/scim/scim-user.ts'
import { toAddressKey } from '../../user-model/address-key.ts'
import type { Comparison, Filter } from './filter.ts'

export type AttributeValue = string | number | boolean

/** The values of a resource's attribute, by its name in lower case. */
export type ReadAttribute<Resource> = (
  resource: Resource,
  attribute: string,
) => readonly AttributeValue[]

/** Attributes whose case matters (RFC 7643) */
const exact = new Set(['id', 'externalid', 'members', 'members.value', 'groups', 'groups.value'])

/** Attributes that are, or may be, addresses */
const addresses = new Set(['username', 'emails', 'emails.value'])

/**
 * Makes the function that tells whether a resource passes a filter.
 *
 * @param isKeyed whether the texts that are read have the form already in which they are compared
 */
export function createMatch<Resource>(
  filter: Filter,
  read: ReadAttribute<Resource>,
  isKeyed = false,
): (resource: Resource) => boolean {
  if (filter.kind === 'not') {
    const match = createMatch(filter.part, read, isKeyed)
    return (resource) => !match(resource)
  }
  if (filter.kind === 'compare') return createCompare(filter, read, isKeyed)
  const matches = filter.parts.map((part) => createMatch(part, read, isKeyed))
  return filter.kind === 'and'
    ? (resource) => matches.every((match) => match(resource))
    : (resource) => matches.some((match) => match(resource))
}

function createCompare<Resource>(
  { attribute, operator, value }: Comparison,
  read: ReadAttribute<Resource>,
  isKeyed: boolean,
): (resource: Resource) => boolean {
  if (operator === 'pr') return (resource) => read(resource, attribute).some((each) => each !== '')
  const isWhole = operator === 'eq' || operator === 'ne'
  const toKey = isWhole && addresses.has(attribute) ? toAddressKey : toNameKey
  const toForm = (each: AttributeValue): AttributeValue =>
    typeof each === 'string' && !exact.has(attribute)
      ? // Stored without the blanks around it
        toKey(isWhole ? each.trim() : each)
      : each
  const form = isKeyed ? (each: AttributeValue) => each : toForm
  // `active eq "True"`: some clients send a flag as text.
  const flag = typeof value === 'string' ? readFlag(value) : undefined
  const wanted = value === null ? null : toForm(value)
  const isEqual = (each: AttributeValue): boolean =>
    typeof each === 'boolean' ? each === (flag ?? value) : form(each) === wanted
  if (operator === 'eq') return (resource) => isNullOr(resource, isEqual)
  if (operator === 'ne') return (resource) => !isNullOr(resource, isEqual)
  const isPart = partTests[operator]
  return (resource) =>
    typeof wanted === 'string' &&
    read(resource, attribute).some((each) => {
      const text = form(each)
      return typeof text === 'string' && isPart(text, wanted)
    })

  function isNullOr(resource: Resource, test: (each: AttributeValue) => boolean): boolean {
    const values = read(resource, attribute)
    return value === null ? values.length === 0 : values.some(test)
  }
}

const partTests = {
  co: (text: string, part: string) => text.includes(part),
  sw: (text: string, part: string) => text.startsWith(part),
  ew: (text: string, part: string) => text.endsWith(part),
}

/** A flag that was sent as text; undefined: the text is no flag. */
export function readFlag(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : undefined
}
