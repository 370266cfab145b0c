import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { createLabelSchema, withoutControls } from '../base/input/bounded-text.ts'
import { codePoints } from '../base/input/input.ts'
import type { ScimUser } from '../capabilities/scim/scim-user.ts'
import type { ScimUserInput } from '../capabilities/scim/write-scim-user.ts'
import { toAddressKey } from '../user-model/address-key.ts'
import { maxEmailLength, maxEmailUnits, readEmailAddress } from '../user-model/email-address.ts'

/** An e-mail address of a resource. The primary one is kept, as of type `work`. */
export interface DraftEmail {
  value: string | null
  /** The form in which filters compare the value. It is made once, when a filter needs it, because that takes quadratic time */
  key: () => string
  type: string
  isPrimary: boolean
}

/** A user that is being written: from a resource, or from a user and a PATCH. */
export interface UserDraft {
  userName: string | null
  externalId: string | null
  /** Null: the request does not name it, as with the next one */
  displayName: string | null
  formatted: string | null
  givenName: string | null
  familyName: string | null
  emails: DraftEmail[]
  isActive: boolean | undefined
  password: string | undefined
}

export const emptyDraft: Readonly<UserDraft> = {
  userName: null,
  externalId: null,
  displayName: null,
  formatted: null,
  givenName: null,
  familyName: null,
  emails: [],
  isActive: undefined,
  password: undefined,
}

/** @throws ClienteleError `scim_value_invalid` for a text that is far longer than an address */
export function toDraftEmail(value: string | null, type: string, isPrimary: boolean): DraftEmail {
  if (value !== null && value.length > maxEmailUnits) {
    const message = `emails.value must have ${maxEmailLength} characters at most.`
    throw new ClienteleError('scim_value_invalid', message)
  }
  let key: string | undefined
  return { value, key: () => (key ??= value === null ? '' : toAddressKey(value)), type, isPrimary }
}

/** The draft of a stored user. */
export function toDraft({ user, names, hasParts }: ScimUser): UserDraft {
  return {
    ...names,
    // Parts of the name follow it, unless the request names them.
    ...(!hasParts && { givenName: null, familyName: null }),
    displayName: null,
    formatted: null,
    emails: [toDraftEmail(user.email, 'work', true)],
    isActive: undefined,
    password: undefined,
  }
}

const userNameSchema = createLabelSchema(1, 254)
const externalIdSchema = withoutControls(codePoints(z.string(), 1, 254))
const namePartSchema = createLabelSchema(1, 100)

/**
 * The input of the actions. The e-mail address is the primary one, or else the user name where that is an address; the
 * name is the first of `displayName`, `name.formatted` and given and family name.
 *
 * @param before the user before a change: what the request leaves alone follows from it
 * @throws ClienteleError `scim_value_invalid`
 */
export function finishDraft(draft: UserDraft, before?: ScimUser): ScimUserInput {
  const { isActive, password } = draft
  const parts = findParts(draft, before)
  const names = {
    userName: check('userName', userNameSchema, draft.userName),
    externalId: checkOptional('externalId', externalIdSchema, draft.externalId),
    givenName: checkOptional('name.givenName', namePartSchema, parts.givenName),
    familyName: checkOptional('name.familyName', namePartSchema, parts.familyName),
  }
  const email = findEmail(draft, names.userName, before)
  return { name: findName({ ...draft, ...parts }, email, before), email, isActive, password, names }
}

function check(name: string, schema: z.ZodType<string>, value: string | null): string {
  const { success, data } = schema.safeParse(value)
  if (success) return data
  const message = `${name} is missing, too long, or has characters that are not allowed.`
  throw new ClienteleError('scim_value_invalid', message)
}

function checkOptional(
  name: string,
  schema: z.ZodType<string>,
  value: string | null,
): string | null {
  return value === null ? null : check(name, schema, value)
}

/** Of a name whose parts were not given, a request that names one of them leaves the other. */
function findParts({ givenName, familyName }: UserDraft, before: ScimUser | undefined): NameParts {
  const isUnnamed = givenName === null && familyName === null
  if (before === undefined || before.hasParts || isUnnamed) return { givenName, familyName }
  const { names } = before
  return {
    givenName: givenName ?? names.givenName,
    familyName: familyName ?? names.familyName,
  }
}

function findEmail({ emails }: UserDraft, userName: string, before?: ScimUser): string {
  const given = emails.filter(({ value }) => value !== null)
  const primary =
    given.find(({ isPrimary }) => isPrimary) ??
    given.find(({ type }) => type === 'work') ??
    given[0]
  const known = before?.user.email
  // Without addresses, one that came from the user name follows it.
  const follows = known === undefined || readEmailAddress(before?.names.userName ?? '') === known
  const ofName = follows ? readEmailAddress(userName) : undefined
  const email = primary?.value ?? ofName ?? known
  if (email !== undefined) return email
  const message = 'emails: an address is needed, unless userName is one.'
  throw new ClienteleError('scim_value_invalid', message)
}

function findName(draft: UserDraft, email: string, before?: ScimUser): string {
  const { displayName, formatted, givenName, familyName, userName } = draft
  const given = displayName ?? formatted
  if (given !== null) return given
  const parts = { givenName, familyName }
  if (before === undefined) return nameOf(parts, email, userName ?? email)
  const { user, names } = before
  const composed = compose(parts)
  if (composed === '' || composed === compose(names)) return user.name
  // A name that was made from its parts follows them.
  const follows = nameOf(names, user.email, names.userName) === user.name
  return follows ? nameOf(parts, email, userName ?? email) : user.name
}

type NameParts = Pick<UserDraft, 'givenName' | 'familyName'>

/** The name of a user to whom none is given */
function nameOf(parts: NameParts, email: string, userName: string): string {
  return fitName(compose(parts), email.slice(0, Math.max(email.indexOf('@'), 0)), userName)
}

function compose({ givenName, familyName }: NameParts): string {
  return [givenName, familyName].filter((part) => part !== null).join(' ')
}

/** The first of these that can be a name: two characters at least; fifty of them are kept */
function fitName(...candidates: string[]): string {
  const found = candidates.find((candidate) => [...candidate].length >= 2) ?? ''
  return [...found].slice(0, 50).join('')
}
