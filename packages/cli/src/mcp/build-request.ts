import leven from 'leven'
import { isObject } from '../is-object.ts'
import type { ApiTool } from './api-tool.ts'
import { ToolFault } from './tool-fault.ts'

export interface ApiRequest {
  method: string
  /** Below the mount, with the query */
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/**
 * Makes a request from a tool's arguments, which the API checks. Only what has no place in a request is refused here.
 *
 * @throws ToolFault
 */
export function buildRequest(
  { method, path, paths, operation, tool }: ApiTool,
  given: Record<string, unknown>,
): ApiRequest {
  const known = Object.keys(tool.inputSchema.properties ?? {})
  for (const name of Object.keys(given)) if (!known.includes(name)) refuseUnknown(name, known)
  for (const name of tool.inputSchema.required ?? [])
    if (given[name] === undefined) throw new ToolFault(`The argument ${name} is missing.`)
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let filled = path
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = given[name]
    if (value === undefined || value === null) continue
    const text = toText(name, value)
    if (place === 'query') query.set(name, text)
    else if (place === 'header') headers[name] = toField(name, text)
    else filled = filled.replace(`{${name}}`, () => toSegment(name, text))
  }
  const other = findOther(path, filled, paths)
  if (other !== undefined) throw new ToolFault(`The arguments name another operation: ${other}.`)
  const { body } = given
  if (body !== undefined) {
    if (!isObject(body)) throw new ToolFault('The argument body must be a JSON object.')
    headers['Content-Type'] = 'application/json'
  }
  return {
    method,
    path: query.size === 0 ? filled : `${filled}?${query}`,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

function refuseUnknown(name: string, known: readonly string[]): never {
  const similar = known.find((each) => leven(each, name) <= 2)
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`
  const all = known.length === 0 ? 'It takes none.' : `It takes: ${known.join(', ')}.`
  throw new ToolFault(`The argument ${name} is unknown.${hint} ${all}`)
}

function toText(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw new ToolFault(`The argument ${name} must be a text, a number or a boolean.`)
}

function toField(name: string, text: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text
  throw new ToolFault(`The argument ${name} must have visible characters of ASCII only.`)
}

/** An id is one segment of the path: `..`, or a slash, would lead to another operation. */
function toSegment(name: string, text: string): string {
  if (/^\.{0,2}$/.test(text))
    throw new ToolFault(`The argument ${name} must be neither empty nor dots.`)
  // A proxy may decode them.
  if (/[/\\]/.test(text)) throw new ToolFault(`The argument ${name} must contain neither / nor \\.`)
  try {
    return encodeURIComponent(text)
  } catch {
    throw new ToolFault(`The argument ${name} is not valid Unicode.`)
  }
}

/** Finds a path of the document that has a word where an argument was filled in: `export` is no id of a user. */
function findOther(path: string, filled: string, paths: readonly string[]): string | undefined {
  const own = path.split('/')
  const segments = filled.split('/')
  return paths.find((other) => {
    const parts = other.split('/')
    const isFixed = (part: string) => !part.startsWith('{')
    return (
      parts.length === segments.length &&
      parts.every((part, index) => part === segments[index] || !isFixed(part)) &&
      parts.some((part, index) => isFixed(part) && part !== own[index])
    )
  })
}
