import type { z } from 'zod'
import { type InputIssue, invalidInput, maxIssues } from '../errors.ts'
import { findJsonIssues, toPointer } from './json.ts'
import { namesOf } from './names-of.ts'
import { suggestName } from './suggest-name.ts'

export type InputResult<T> = { data: T } | { issues: InputIssue[] }

/**
 * Checks a value against a schema and returns the rules that it breaks, up to 100.
 *
 * @param isWalked whether the whole value is searched for content that we do not allow in JSON, such as NUL and
 *   `__proto__`
 */
export function checkInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  isWalked = true,
): InputResult<T> {
  const forbidden = isWalked ? findJsonIssues(value) : []
  if (forbidden.length > 0) return { issues: forbidden }
  const result = schema.safeParse(value)
  if (result.success) return { data: result.data }
  return { issues: toInputIssues(result.error.issues, value, schema) }
}

/**
 * Checks a value against a schema and returns the schema's output.
 *
 * @throws ClienteleError `validation_failed`, with the broken rules in `issues`
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = checkInput(schema, value)
  if ('issues' in result) throw invalidInput(result.issues)
  return result.data
}

/**
 * Checks an argument that is not JSON: an id, or options that may hold functions.
 *
 * @throws ClienteleError `validation_failed`, with pointers that begin with the argument's name
 */
export function parseArgument<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = toInputIssues(result.error.issues, value, schema)
  throw invalidInput(
    issues.map(({ pointer, ...issue }) => ({ pointer: `/${name}${pointer}`, ...issue })),
  )
}

/** A rule on the number of Unicode code points, which JSON Schema's minLength and maxLength count, too. */
export function codePoints<S extends z.ZodType<string>>(
  schema: S,
  minimum: number,
  maximum: number,
): S {
  return schema
    .check((context) => {
      const units = context.value.length
      // Each code point has one or two UTF-16 units: the length in units alone proves that both bounds hold.
      if (units >= 2 * minimum && units <= maximum) return
      // More than twice as many units are too many code points in any case.
      const length = units > 2 * maximum ? units : countCodePoints(context.value)
      if (length < minimum) {
        context.issues.push({
          code: 'too_small',
          origin: 'string',
          minimum,
          input: context.value,
          continue: true,
        })
      } else if (length > maximum) {
        context.issues.push({
          code: 'too_big',
          origin: 'string',
          maximum,
          input: context.value,
          continue: true,
        })
      }
    })
    .meta({ minLength: minimum, maxLength: maximum })
}

export function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Lists the broken rules. Each unknown member is named by its own pointer. */
export function toInputIssues(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  schema?: z.ZodType,
): InputIssue[] {
  let suggestions = 0
  // Of a value of another type, no other rule says more.
  const untyped = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => toPointer(path)),
  )
  const telling = issues.filter(
    ({ code, path }) => !/^too_/.test(code ?? '') || !untyped.has(toPointer(path)),
  )
  const named = telling.slice(0, maxIssues).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [toInputIssue(issue, input)]
    const keys = issue.keys.slice(0, maxIssues)
    const known = namesOf(schema, issue.path)
    return keys.map((key) =>
      unrecognized([...issue.path, key], suggestions++ < maxSuggestions ? known : []),
    )
  })
  return named.slice(0, maxIssues)
}

/** For how many unknown members of an input a known name is looked for */
export const maxSuggestions = 5

/**
 * The issue of an unknown member.
 *
 * @param known the names that it may have been meant as
 */
export function unrecognized(
  path: readonly PropertyKey[],
  known: readonly string[] = [],
): InputIssue {
  const meant = suggestName(String(path.at(-1)), known)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return { pointer: toPointer(path), code: 'unrecognized', message: `is not known here${hint}` }
}

/** Translates an issue of zod's into a sentence for the caller. */
function toInputIssue(issue: z.core.$ZodIssue, input: unknown): InputIssue {
  const pointer = toPointer(issue.path)
  if (isOfType(issue) && valueAt(input, issue.path) === undefined)
    return { pointer, code: 'required', message: 'is required' }
  return { pointer, ...describeIssue(issue) }
}

/** Whether a value is missing or has another type than the expected one. */
function isOfType(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'custom') return issue.params?.isNeeded === true
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

function describeIssue(issue: z.core.$ZodIssue): Omit<InputIssue, 'pointer'> {
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'type', message: `must be ${nameType(issue.expected)}` }
    case 'too_small':
      if (issue.inclusive === false)
        return { code: 'too_small', message: `must be greater than ${issue.minimum}` }
      return describeBound(
        issue.origin,
        'at least',
        issue.minimum,
        'too_short',
        'too_few',
        'too_small',
      )
    case 'too_big':
      return describeBound(
        issue.origin,
        'at most',
        issue.maximum,
        'too_long',
        'too_many',
        'too_large',
      )
    case 'invalid_format':
      return {
        code: 'format',
        message: issue.format === 'regex' ? issue.message : describeFormat(issue.format),
      }
    case 'invalid_value':
      return { code: 'value', message: `must be one of ${issue.values.map(String).join(', ')}` }
    case 'custom':
      return { code: String(issue.params?.code ?? 'invalid'), message: issue.message }
    default:
      return { code: 'invalid', message: 'is not valid' }
  }
}

const formatNames: Record<string, string> = {
  guid: 'a UUID',
  datetime: 'a date and time (RFC 3339)',
  url: 'a URL',
}

function describeFormat(format: string): string {
  return `must be ${formatNames[format] ?? `a valid ${format}`}`
}

function describeBound(
  origin: string,
  comparison: string,
  bound: number | bigint,
  textCode: string,
  listCode: string,
  numberCode: string,
): Omit<InputIssue, 'pointer'> {
  const code = origin === 'string' ? textCode : listCode
  if ((origin === 'string' || origin === 'array') && comparison === 'at least' && bound === 1)
    return { code, message: 'must not be empty' }
  if (origin === 'string')
    return { code: textCode, message: `must have ${comparison} ${bound} characters` }
  if (origin === 'array')
    return { code: listCode, message: `must have ${comparison} ${bound} items` }
  return { code: numberCode, message: `must be ${comparison} ${bound}` }
}

function nameType(expected: string): string {
  if (expected === 'record') return 'an object'
  if (expected === 'int') return 'a whole number'
  if (expected === 'date') return 'a valid Date'
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, step)
  }
  return value
}
