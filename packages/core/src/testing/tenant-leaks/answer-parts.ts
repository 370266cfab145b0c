import type { Values } from './tested-route.ts'

/** A response in comparable parts: `status`, `header etag`, `body/data/0/id`. */
export type Parts = ReadonlyMap<string, string>

/** Header fields that differ between any two responses */
const volatileHeader =
  /^(age|connection|content-length|date|keep-alive|server-timing|transfer-encoding|x-request-id)$|ratelimit/
const maxPartLength = 200

/**
 * Splits a response into parts. Values of the request are replaced by their names, so that only the rest is compared.
 */
export async function readParts(response: Response, sent: Values): Promise<Parts> {
  const parts = new Map([['status', String(response.status)]])
  const normalize = (text: string): string => replaceValues(text, sent)
  for (const [name, value] of response.headers) {
    if (volatileHeader.test(name)) continue
    // There may be several cookies.
    const before = parts.get(`header ${name}`)
    const all = before === undefined ? value : `${before}, ${value}`
    parts.set(`header ${name}`, normalize(all))
  }
  const text = await response.text()
  const json = parseJson(text)
  if (json === undefined) {
    for (const [index, line] of text.split('\n').entries())
      if (line !== '') parts.set(`body line ${index + 1}`, normalize(line))
  } else {
    addLeaves(parts, 'body', json, normalize)
  }
  return parts
}

/** The differing parts by name, as expected and as found. A missing part is left out. */
export interface Difference {
  expected: Record<string, string>
  got: Record<string, string>
}

/** The differences between two responses, except for the parts that always differ. */
export function compareParts(
  expected: Parts,
  got: Parts,
  ignored: ReadonlySet<string>,
): Difference | undefined {
  const names = findDifferences(expected, got).filter((name) => !ignored.has(name))
  if (names.length === 0) return undefined
  return { expected: chooseParts(expected, names), got: chooseParts(got, names) }
}

/** The names of the parts that differ. */
export function findDifferences(left: Parts, right: Parts): string[] {
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (name) => left.get(name) !== right.get(name),
  )
}

export function chooseParts(parts: Parts, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = parts.get(name)
      return value === undefined ? [] : [[name, value.slice(0, maxPartLength)]]
    }),
  )
}

/**
 * The header fields and the parts of a body that contain one of these values. Short values count only where an id is
 * expected: as the member `id` or one of their own name, or in a list named after these.
 */
export function findValues(parts: Parts, values: Values): string[] {
  return [...parts].flatMap(([part, text]) => {
    const isFound = Object.entries(values).some(([name, value]) => {
      if (value.length >= 6) return contains(text, value)
      return (
        new RegExp(`/(id|${name})(s/\\d+)?$`).test(part) && text.replace(/^"|"$/g, '') === value
      )
    })
    return isFound ? [part] : []
  })
}

function contains(text: string, value: string): boolean {
  return new RegExp(patternOf(value)).test(text)
}

function replaceValues(text: string, values: Values): string {
  // The longest first: one may contain another.
  const entries = Object.entries(values).toSorted(([, a], [, b]) => b.length - a.length)
  return entries.reduce((replaced, [name, value]) => {
    return value === ''
      ? replaced
      : replaced.replace(new RegExp(patternOf(value), 'g'), `{${name}}`)
  }, text)
}

/** A value as it is, or as a part of a URL */
function patternOf(value: string): string {
  return [value, encodeURIComponent(value)].map(boundedPattern).join('|')
}

function boundedPattern(value: string): string {
  return `(?<=^|[^A-Za-z0-9]|%[0-9A-F]{2})${value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![A-Za-z0-9])`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It is compared as text.
    return undefined
  }
}

function addLeaves(
  parts: Map<string, string>,
  path: string,
  value: unknown,
  normalize: (text: string) => string,
): void {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0) parts.set(path, normalize(JSON.stringify(value)))
  for (const [name, member] of members) addLeaves(parts, `${path}/${name}`, member, normalize)
}
