import { isId } from '../../base/input/id.ts'
import { toNameKey } from '../../capabilities/scim/scim-user.ts'
import type { ScimIndex, ScimRange } from '../../capabilities/scim/store.ts'
import { toAddressKey } from '../../user-model/address-key.ts'
import { readEmailAddress } from '../../user-model/email-address.ts'
import type { Comparison, Filter } from './filter.ts'

/** The indexes that find an attribute. A user without a user name of SCIM is found by the address. */
const indexes: Record<string, readonly ScimIndex[]> = {
  id: ['id'],
  username: ['userName', 'email'],
  externalid: ['externalId'],
  emails: ['email'],
  'emails.value': ['email'],
  displayname: ['name'],
  'name.formatted': ['name'],
}

/**
 * The ranges of indexes in which every user is that can pass a filter; undefined: only all users of the account are known
 * to be enough.
 */
export function planFilter(filter: Filter): readonly ScimRange[] | undefined {
  if (filter.kind === 'not') return undefined
  if (filter.kind === 'compare') return planComparison(filter)
  const plans = filter.parts.map(planFilter)
  if (filter.kind === 'or') {
    const known = plans.filter((plan) => plan !== undefined)
    return known.length === plans.length ? known.flat() : undefined
  }
  // Each part of a conjunction is enough: an exact one is the best.
  const known = plans.filter((plan) => plan !== undefined)
  return known.find((plan) => plan.every(({ from, to }) => from === to)) ?? known[0]
}

function planComparison({
  attribute,
  operator,
  value,
}: Comparison): readonly ScimRange[] | undefined {
  const found = indexes[attribute]
  const isIndexed = operator === 'eq' || (operator === 'sw' && attribute !== 'id')
  if (found === undefined || !isIndexed) return undefined
  if (value === null || (value === '' && operator === 'sw')) return undefined
  if (typeof value !== 'string' || value === '') return []
  const ranges = found.flatMap((by) => {
    const range = toRange(by, operator, value)
    return range === undefined ? [] : [range]
  })
  const isOfAll = operator === 'sw' && ranges.some(({ from }) => from === '')
  return isOfAll ? undefined : ranges
}

function toRange(by: ScimIndex, operator: 'eq' | 'sw', value: string): ScimRange | undefined {
  if (by === 'id') {
    return operator === 'eq' && isId(value) ? { by, from: value, to: value } : undefined
  }
  if (by === 'email' && operator === 'eq') {
    const email = readEmailAddress(value)
    return email === undefined ? undefined : { by, from: email, to: email }
  }
  const from = toStart(by, operator, value)
  // Every text that begins so sorts between the two: the last code point sorts after all others.
  return { by, from, to: operator === 'eq' ? from : `${from}\u{10FFFF}` }
}

function toStart(by: ScimIndex, operator: 'eq' | 'sw', value: string): string {
  if (by === 'externalId') return value
  if (operator === 'eq') return by === 'name' ? toNameKey(value.trim()) : toAddressKey(value.trim())
  const key = toNameKey(value)
  // The index has the domain in one spelling (IDNA), and the user name may have the other.
  if (by === 'userName') return key.replace(/@.*/s, '@')
  // Addresses keep a sigma at the end of a word, for which a key has the other one.
  return by === 'email' ? key.replace(/σ.*/s, '') : key
}
