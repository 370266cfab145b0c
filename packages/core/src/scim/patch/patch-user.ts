import { ClienteleError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/input/json.ts'
import type { Filter } from '../filter/filter.ts'
import { createMatch } from '../filter/match-filter.ts'
import { readAttributes, readBoolean, readText } from '../read-attributes.ts'
import { type DraftEmail, toDraftEmail, type UserDraft } from '../user-draft.ts'
import { type PatchPath, parsePath } from './parse-path.ts'
import type { PatchOperation } from './read-operations.ts'

const filtered = new Set(['emails.type', 'emails.value', 'emails.primary'])
const maxEmails = 20
const maxTypeLength = 100

const texts = {
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
} as const
const nameParts = {
  formatted: 'formatted',
  givenname: 'givenName',
  familyname: 'familyName',
} as const

/**
 * Applies an operation to a draft. Attributes that are not kept, and those that are read-only, are ignored: identity
 * providers send what they have.
 *
 * @throws ClienteleError `scim_value_invalid`, `scim_path_invalid`, `scim_no_target`
 */
export function patchDraft(draft: UserDraft, { op, path = '', value }: PatchOperation): void {
  const target = parsePath(path, filtered)
  const given = op === 'remove' ? undefined : value
  const { attribute, part } = target
  if (part !== undefined && (isKeyOf(texts, attribute) || attribute === 'active'))
    throw new ClienteleError('scim_path_invalid')
  if (isKeyOf(texts, attribute)) draft[texts[attribute]] = readText(path, given)
  else if (attribute === 'name') patchName(draft, target, given)
  else if (attribute === 'emails') patchEmails(draft, op, target, given)
  else if (attribute === 'active') draft.isActive = readActive(op, given)
  else if (attribute === 'password') draft.password = readText(path, given) ?? undefined
}

function readActive(op: PatchOperation['op'], value: unknown): boolean | undefined {
  if (op === 'remove')
    throw new ClienteleError('scim_value_invalid', 'active cannot be removed: replace it.')
  if (value === null || value === undefined)
    throw new ClienteleError('scim_value_invalid', 'active must be true or false.')
  return readBoolean('active', value)
}

function patchName(draft: UserDraft, { part }: PatchPath, value: unknown): void {
  if (part !== undefined) {
    if (isKeyOf(nameParts, part)) draft[nameParts[part]] = readText(`name.${part}`, value)
    return
  }
  if (value === undefined || value === null) {
    Object.assign(draft, { givenName: null, familyName: null })
    return
  }
  if (!isPlainObject(value))
    throw new ClienteleError('scim_value_invalid', 'name must be an object.')
  for (const [name, each] of readAttributes(value))
    if (isKeyOf(nameParts, name)) draft[nameParts[name]] = readText(`name.${name}`, each)
}

function patchEmails(
  draft: UserDraft,
  op: PatchOperation['op'],
  { filter, part }: PatchPath,
  value: unknown,
): void {
  if (filter !== undefined || part !== undefined) {
    patchSelected(draft, op, filter, part, value)
  } else if (op === 'remove' || value === null || value === undefined) {
    draft.emails = []
  } else {
    const given: unknown[] = Array.isArray(value) ? value : [value]
    // Before they are compared with each other
    if (given.length > maxEmails) throw tooManyEmails()
    const added = given.map(readEmail)
    if (op === 'replace') draft.emails = added
    else for (const email of added) addEmail(draft, email)
  }
  if (draft.emails.length > maxEmails) throw tooManyEmails()
}

function tooManyEmails(): ClienteleError {
  const message = `emails may have ${maxEmails} addresses at most.`
  return new ClienteleError('scim_value_invalid', message)
}

/** Adds an address. It replaces the one of its type, and as the primary one it is the only primary one. */
function addEmail(draft: UserDraft, added: DraftEmail): void {
  const others = draft.emails.filter(({ type }) => type !== added.type)
  const left = added.isPrimary ? others.map((each) => ({ ...each, isPrimary: false })) : others
  const replacesPrimary = draft.emails.some(
    ({ type, isPrimary }) => type === added.type && isPrimary,
  )
  draft.emails = [...left, { ...added, isPrimary: added.isPrimary || replacesPrimary }]
}

/**
 * Changes the addresses that a filter selects. Where it selects none, one of its type is added, as Entra ID expects. One that
 * becomes the primary one is the only primary one.
 *
 * @throws ClienteleError `scim_no_target` if it names no type (RFC 7644, section 3.5.2.3)
 */
function patchSelected(
  draft: UserDraft,
  op: PatchOperation['op'],
  filter: Filter | undefined,
  part: string | undefined,
  value: unknown,
): void {
  const isSelected =
    filter === undefined ? () => true : createMatch<DraftEmail>(filter, readEmailAttribute, true)
  if (op === 'remove') {
    if (part === undefined || part === 'value')
      draft.emails = draft.emails.filter((email) => !isSelected(email))
    return
  }
  const found = draft.emails.filter(isSelected)
  const selected = found.length > 0 ? found : [addOfType(draft, typeOf(filter))]
  const { change, makesPrimary } = readChange(part, value)
  draft.emails = draft.emails.map((email) => {
    const changed = selected.includes(email) ? change(email) : email
    return makesPrimary ? { ...changed, isPrimary: email === selected[0] } : changed
  })
}

function addOfType(draft: UserDraft, type: string | undefined): DraftEmail {
  if (type === undefined) throw new ClienteleError('scim_no_target')
  const added = toDraftEmail(null, type, false)
  draft.emails = [...draft.emails, added]
  return added
}

interface EmailChange {
  change: (email: DraftEmail) => DraftEmail
  makesPrimary: boolean
}

/** Reads a value once, for all addresses that it changes. */
function readChange(part: string | undefined, value: unknown): EmailChange {
  if (part === undefined) {
    const given = readEmail(value)
    const change = ({ isPrimary }: DraftEmail) => ({
      ...given,
      isPrimary: given.isPrimary || isPrimary,
    })
    return { change, makesPrimary: given.isPrimary }
  }
  const given = readPart(part, value)
  return { change: (email) => ({ ...email, ...given }), makesPrimary: given.isPrimary === true }
}

function readPart(part: string, value: unknown): Partial<DraftEmail> {
  if (part === 'value') {
    const { value: text, key } = toDraftEmail(readText('emails.value', value), '', false)
    return { value: text, key }
  }
  if (part === 'primary') return { isPrimary: readBoolean('emails.primary', value) }
  const type = part === 'type' ? readType(value) : undefined
  return type === undefined ? {} : { type }
}

function readEmailAttribute(email: DraftEmail, attribute: string) {
  if (attribute === 'emails.type') return [email.type]
  if (attribute === 'emails.primary') return [email.isPrimary]
  return email.value === null ? [] : [email.key()]
}

/** The type that a filter asks for; undefined: it asks for none */
function typeOf(filter: Filter | undefined): string | undefined {
  if (filter === undefined) return 'work'
  if (filter.kind === 'not') return undefined
  if (filter.kind !== 'compare') return filter.parts.map(typeOf).find((type) => type !== undefined)
  const { attribute, operator, value } = filter
  const isType = attribute === 'emails.type' && operator === 'eq' && typeof value === 'string'
  return isType ? value.toLowerCase() : undefined
}

function readEmail(value: unknown): DraftEmail {
  if (typeof value === 'string') return toDraftEmail(value, 'work', false)
  if (!isPlainObject(value))
    throw new ClienteleError('scim_value_invalid', 'emails must be a list of objects.')
  const members = readAttributes(value)
  const primary = members.get('primary') ?? false
  return toDraftEmail(
    readText('emails.value', members.get('value')),
    readType(members.get('type')) ?? 'other',
    readBoolean('emails.primary', primary),
  )
}

function readType(value: unknown): string | undefined {
  const type = readText('emails.type', value)
  if (type === null) return undefined
  if (type.length > maxTypeLength) {
    const message = `emails.type must have ${maxTypeLength} characters at most.`
    throw new ClienteleError('scim_value_invalid', message)
  }
  return type.toLowerCase()
}

function isKeyOf<Names extends object>(names: Names, name: string): name is keyof Names & string {
  return Object.hasOwn(names, name)
}
