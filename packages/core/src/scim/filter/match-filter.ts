import { toNameKey } from '../../capabilities/scim/scim-user.ts'
import { toAddressKey } from '../../user-model/address-key.ts'
import type { Comparison, Filter } from './filter.ts'

export type AttributeValue = string | number | boolean

/**
 * The values of a resource's attribute, by its name in lower case.
 *
 * @param asKey names that are addresses, and addresses, in the form of `toAddressKey`
 */
export type ReadAttribute<Resource> = (
  resource: Resource,
  attribute: string,
  asKey?: boolean,
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
  return createTest(filter, createReadForms(read, isKeyed))
}

/** Makes the function that reads the values of an attribute in the form in which they are compared, as wholes or in part. */
type CreateRead<Resource> = (
  attribute: string,
  isWhole: boolean,
) => (resource: Resource) => readonly AttributeValue[]

/** The forms of a resource are made once for all comparisons, as they take longer than these. */
function createReadForms<Resource>(
  read: ReadAttribute<Resource>,
  isKeyed: boolean,
): CreateRead<Resource> {
  const readers = new Map<string, (resource: Resource) => readonly AttributeValue[]>()
  return (attribute, isWhole) => {
    const name = `${attribute} ${isWhole}`
    const known = readers.get(name)
    if (known !== undefined) return known
    const formOf = (each: AttributeValue) =>
      isKeyed || typeof each !== 'string' ? each : toForm(attribute, isWhole, each)
    const reader = remember((resource: Resource) => read(resource, attribute, isWhole).map(formOf))
    readers.set(name, reader)
    return reader
  }
}

/** Remembers the values of the resource that was read last. */
function remember<Resource>(
  read: (resource: Resource) => readonly AttributeValue[],
): (resource: Resource) => readonly AttributeValue[] {
  let last: { resource: Resource; values: readonly AttributeValue[] } | undefined
  return (resource) => {
    if (last?.resource !== resource) last = { resource, values: read(resource) }
    return last.values
  }
}

function createTest<Resource>(
  filter: Filter,
  createRead: CreateRead<Resource>,
): (resource: Resource) => boolean {
  if (filter.kind === 'not') {
    const test = createTest(filter.part, createRead)
    return (resource) => !test(resource)
  }
  if (filter.kind === 'compare') return createCompare(filter, createRead)
  const tests = filter.parts.map((part) => createTest(part, createRead))
  return filter.kind === 'and'
    ? (resource) => tests.every((test) => test(resource))
    : (resource) => tests.some((test) => test(resource))
}

function createCompare<Resource>(
  { attribute, operator, value }: Comparison,
  createRead: CreateRead<Resource>,
): (resource: Resource) => boolean {
  const isWhole = (operator === 'eq' || operator === 'ne') && value !== null
  const read = createRead(attribute, isWhole)
  if (operator === 'pr') return (resource) => read(resource).some((each) => each !== '')
  const isAddress = isWhole && addresses.has(attribute)
  const text = isAddress && typeof value === 'string' ? toAddressKey(value.trim()) : value
  const wanted = typeof text === 'string' ? toForm(attribute, isWhole, text) : text
  // `active eq "True"`: some clients send a flag as text.
  const flag = typeof value === 'string' ? readFlag(value) : undefined
  const isEqual = (each: AttributeValue): boolean =>
    typeof each === 'boolean' ? each === (flag ?? value) : each === wanted
  const hasEqual = (resource: Resource): boolean =>
    value === null ? read(resource).length === 0 : read(resource).some(isEqual)
  if (operator === 'eq') return hasEqual
  if (operator === 'ne') return (resource) => !hasEqual(resource)
  const isPart = partTests[operator]
  return (resource) =>
    typeof wanted === 'string' &&
    read(resource).some((each) => typeof each === 'string' && isPart(each, wanted))
}

/** The form in which a text of an attribute is compared. Wholes are compared without the blanks around them. */
function toForm(attribute: string, isWhole: boolean, text: string): string {
  if (exact.has(attribute)) return text
  return toNameKey(isWhole ? text.trim() : text)
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
