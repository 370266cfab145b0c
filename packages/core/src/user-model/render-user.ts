import { toIsoText } from '../base/input/instant.ts'
import {
  columnOf,
  type UserFieldName,
  type UserFields,
  userFieldNames,
  userFields,
} from './fields.ts'
import type { StoredUser } from './stored-user.ts'

/** A stored user whose JSON is UTF-8 in place of a text */
export type EncodedUser = {
  [Name in UserFieldName]: UserFields[Name]['kind'] extends 'json' ? Uint8Array : StoredUser[Name]
}

const heads = userFieldNames.map((name, index) => `${index === 0 ? '{' : ','}"${columnOf(name)}":`)

/** A field in the form of the wire, with its name; stored JSON is sent unchanged. */
const renderers = userFieldNames.map((name, index) => {
  const head = heads[index]
  const { kind } = userFields[name]
  if (kind === 'json' || kind === 'flag') return (user: StoredUser) => `${head}${user[name]}`
  if (kind === 'time') return (user: StoredUser) => `${head}"${toIsoText(Number(user[name]))}"`
  // An id has only hexadecimal digits and hyphens.
  if (kind === 'id') return (user: StoredUser) => `${head}"${user[name]}"`
  return (user: StoredUser) => head + JSON.stringify(user[name])
})

/** Serialises a user: its fields, in the order of their table, without other members of the object. */
export function renderUser(user: StoredUser): string {
  let text = ''
  for (const render of renderers) text += render(user)
  return `${text}}`
}

/** The same in parts of UTF-8: JSON is neither decoded, encoded nor copied. */
export function encodeUser(user: EncodedUser): Uint8Array[] {
  const parts: Uint8Array[] = []
  let text = ''
  for (const [index, name] of userFieldNames.entries()) {
    const value = user[name]
    if (value instanceof Uint8Array) {
      parts.push(Buffer.from(text + heads[index]), value)
      text = ''
    } else {
      text += renderers[index]?.(user as unknown as StoredUser) // reads this field alone, which is no JSON
    }
  }
  parts.push(Buffer.from(`${text}}`))
  return parts
}

/** At most this many bytes of memory take the roles and the metadata of users; their other fields are short. */
export function memoryOfUsers(users: readonly (StoredUser | EncodedUser)[]): number {
  let bytes = 0
  for (const { roles, metadata } of users) bytes += memoryOf(roles) + memoryOf(metadata)
  return bytes
}

function memoryOf(json: string | Uint8Array): number {
  return typeof json === 'string' ? 2 * json.length : json.byteLength
}
