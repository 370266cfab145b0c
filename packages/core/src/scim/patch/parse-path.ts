import { ClienteleError } from '../../base/errors.ts'
import { isJoinedWrongly, withoutSchema } from '../attribute-name.ts'
import type { Filter } from '../filter/filter.ts'
import { parseFilter } from '../filter/parse-filter.ts'

/** A path of a PATCH operation (RFC 7644, section 3.5.2). Names are in lower case. */
export interface PatchPath {
  /** `emails`; of another schema with the schema before it */
  attribute: string
  /** Selects values: `[type eq "work"]` */
  filter: Filter | undefined
  /** `value` in `emails[type eq "work"].value` */
  part: string | undefined
}

const maxLength = 1_000
/** What a client may write before an attribute in place of the schema */
const resources = new Set(['user', 'group', '$'])
/** The attributes that are kept, of users and of groups */
const kept = new Set(
  'username externalid displayname name emails active password groups members'.split(' '),
)
const plain = /^[A-Za-z$][\w$-]*(?:\.[A-Za-z$][\w$-]*)?$/

/**
 * Parses a path.
 *
 * @param filtered the attributes that filters in brackets may compare, with their parent: `emails.type`
 * @throws ClienteleError `scim_path_invalid`
 */
export function parsePath(text: string, filtered: ReadonlySet<string>): PatchPath {
  const path = text.trim()
  if (path === '' || path.length > maxLength) throw invalid()
  const start = path.indexOf('[')
  if (start === -1) return parsePlain(path)
  const end = path.lastIndexOf(']')
  const rest = path.slice(end + 1)
  if (end < start || (rest !== '' && !/^\.[A-Za-z$][\w$-]*$/.test(rest))) throw invalid()
  const { attribute, part } = parsePlain(path.slice(0, start))
  if (part !== undefined) throw invalid()
  const sub = rest === '' ? undefined : rest.slice(1).toLowerCase()
  // A value of an attribute that is not kept
  if (![...filtered].some((name) => name.startsWith(`${attribute}.`)))
    return { attribute, filter: undefined, part: sub }
  try {
    return { attribute, filter: parseFilter(path.slice(0, end + 1), filtered), part: sub }
  } catch {
    throw invalid()
  }
}

/**
 * Whether a member of a resource may name an attribute of ours. Others are left out, also those that no path can name: `_id`,
 * `employee number`. A name that only resembles one of ours, such as `User/active`, is to be refused.
 */
export function mayBeAttribute(name: string): boolean {
  if (plain.test(name)) return true
  const [head = ''] = name.toLowerCase().split('[', 1)
  const letters = head.replace(/[^a-z]/g, '')
  return head.includes('urn:') || kept.has(letters.replace(/^(?:user|group)(?!name$)/, ''))
}

function parsePlain(path: string): PatchPath {
  const name = withoutSchema(path)
  if (isJoinedWrongly(name)) throw invalid()
  // An attribute of an extension: `urn:…:User:department`
  if (name.startsWith('urn:')) return { attribute: name, filter: undefined, part: undefined }
  if (!plain.test(name)) throw invalid()
  const [attribute = '', part] = name.split('.')
  // `User.active` would look like a part of something that is not kept.
  if (part !== undefined && kept.has(part) && resources.has(attribute)) throw invalid()
  return { attribute, filter: undefined, part }
}

function invalid(): ClienteleError {
  return new ClienteleError('scim_path_invalid')
}
