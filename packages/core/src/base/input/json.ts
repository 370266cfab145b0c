import { isDeepStrictEqual } from 'node:util'
import { type InputIssue, maxIssues } from '../errors.ts'

/** A value that JSON can carry (RFC 8259). */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

/** How deep arrays and objects may nest. */
export const maxJsonDepth = 32

/**
 * The maximum number of values in an input. Metadata of 8 KiB has fewer than 4,100 values. Checking each value holds up
 * other requests.
 */
export const maxJsonValues = 5_000

/** Whether both databases can store the text: no NUL, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether two values are stored as the same one. The order of an object's members does not matter. */
export function isSameJson(left: object, right: object): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right)))
}

/** Writes a value as JSON with sorted members. */
export function writeSortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** The approximate length of a value as JSON, in characters. 0 when it cannot be written: another rule refuses that. */
export function measureJson(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return 0
  }
}

/** The longest pointer in a message, in UTF-16 units; a longer one is cut with an ellipsis. */
const maxPointerLength = 256

/**
 * Escapes the steps of a path and joins them to a JSON Pointer (RFC 6901). A path may itself hold refused text: it is
 * made well-formed, and cut when it is very long.
 */
export function toPointer(path: readonly PropertyKey[]): string {
  let pointer = ''
  for (const step of path) {
    const start = String(step).slice(0, maxPointerLength)
    pointer += `/${start.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (start.length < String(step).length || pointer.length > maxPointerLength) {
      pointer = `${pointer.slice(0, maxPointerLength)}…`
      break
    }
  }
  return pointer.toWellFormed().replaceAll('\0', '\u{FFFD}')
}

/**
 * Finds the first forbidden value in an input, also in members that are otherwise ignored: NUL and lone surrogates,
 * `__proto__`, nesting deeper than 32, more than 5,000 values, numbers and objects that JSON does not have.
 */
export function findJsonIssues(input: unknown): InputIssue[] {
  const issues: InputIssue[] = []
  const path: PropertyKey[] = []
  let count = 0

  function isOver(): boolean {
    return issues.length >= maxIssues || count > maxJsonValues
  }

  function report(code: string, message: string): void {
    issues.push({ pointer: toPointer(path), code, message })
  }

  function isTooDeep(depth: number): boolean {
    if (depth < maxJsonDepth) return false
    report('too_deep', `must not nest deeper than ${maxJsonDepth}`)
    return true
  }

  function visit(value: unknown, depth: number): void {
    count++
    if (isOver()) return
    if (typeof value === 'string') {
      if (!isStorableText(value))
        report('text_not_allowed', 'must not contain NUL or a lone surrogate')
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) report('number_out_of_range', 'must be a finite number')
    } else if (Array.isArray(value)) {
      if (isTooDeep(depth)) return
      for (const [index, item] of value.entries()) {
        if (isOver()) return
        visitMember(index, item, depth)
      }
    } else if (isPlainObject(value)) {
      if (isTooDeep(depth)) return
      for (const key of Object.keys(value)) {
        if (isOver()) return
        if (key === '__proto__' || !isStorableText(key)) {
          path.push(key)
          report('name_not_allowed', 'is not an allowed member name')
          path.pop()
        } else if (value[key] !== undefined) visitMember(key, value[key], depth)
      }
    } else if (value instanceof Date && depth === 1) {
      // A member of an in-process call: its schema decides whether it may be a Date.
    } else if (value !== null && typeof value !== 'boolean' && value !== undefined) {
      report('type', 'must be a JSON value')
    }
  }

  function visitMember(step: PropertyKey, value: unknown, depth: number): void {
    path.push(step)
    visit(value, depth + 1)
    path.pop()
  }

  visit(input, 0)
  // First of all issues: the values after it have not been checked.
  if (count > maxJsonValues)
    issues.unshift({
      pointer: '',
      code: 'too_many',
      message: `must not hold more than ${maxJsonValues} values`,
    })
  return issues
}
