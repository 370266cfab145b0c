import { toIsoText } from '../base/input/instant.ts'
import { columnOf, userFieldNames, userFields } from './fields.ts'
import type { StoredUser } from './stored-user.ts'

/** A field in the form of the wire, with its name; stored JSON is sent unchanged. */
const renderers = userFieldNames.map((name, index) => {
  const head = `${index === 0 ? '{' : ','}"${columnOf(name)}":`
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
