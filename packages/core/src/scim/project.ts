import { isPlainObject } from '../base/input/json.ts'
import { withoutSchema } from './attribute-name.ts'
import type { Resource } from './resource.ts'

/** More names than a resource has */
const maxNames = 100
/** The attributes that every response has (RFC 7643, section 7: `returned` is `always`) */
const always = ['schemas', 'id']

interface Wanted {
  attributes?: string | undefined
  excludedAttributes?: string | undefined
}

/** The names of a list of attributes, in lower case; undefined: the caller gave none. */
function readNames(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined
  const names = text.split(',', maxNames).map((name) => withoutSchema(name.trim()))
  return new Set(names.filter((name) => name !== ''))
}

/** Whether a response has an attribute: so that it need not be read otherwise. */
export function isWanted({ attributes, excludedAttributes }: Wanted, name: string): boolean {
  const included = readNames(attributes)
  if (included !== undefined)
    return [...included].some((each) => each === name || each.startsWith(`${name}.`))
  return readNames(excludedAttributes)?.has(name) !== true
}

/** Makes the function that leaves only the wanted attributes in a resource (RFC 7644, section 3.9). */
export function createProject({ attributes, excludedAttributes }: Wanted) {
  const included = readNames(attributes)
  const excluded = readNames(excludedAttributes)
  if (included === undefined && excluded === undefined) return (resource: Resource) => resource
  const projectValue = (value: unknown, path: string): unknown => {
    if (included?.has(path) === true) return value
    if (included !== undefined) return pickParts(value, path, (part) => included.has(part))
    if (excluded?.has(path) === true) return undefined
    return pickParts(value, path, (part) => excluded?.has(part) !== true) ?? value
  }
  return (resource: Resource): Resource => {
    const projected: Resource = {}
    for (const [name, value] of Object.entries(resource)) {
      const left = always.includes(name) ? value : projectValue(value, name.toLowerCase())
      if (left !== undefined) projected[name] = left
    }
    return projected
  }
}

/** The wanted sub-attributes; undefined: the value has none of them. */
function pickParts(value: unknown, path: string, isWanted: (path: string) => boolean): unknown {
  if (Array.isArray(value)) {
    const parts = value.map((each) => pickParts(each, path, isWanted))
    return parts.some((part) => part !== undefined) ? parts : undefined
  }
  if (!isPlainObject(value)) return undefined
  const left = Object.entries(value).filter(([name]) => isWanted(`${path}.${name.toLowerCase()}`))
  return left.length === 0 ? undefined : Object.fromEntries(left)
}
