import type { InputIssue } from '../base/errors.ts'
import { maxSuggestions, unrecognized } from '../base/input/input.ts'
import { toPointer } from '../base/input/json.ts'

/**
 * Parses a query strictly: an unknown or repeated name, an empty value and invalid percent-encoding break a rule.
 * `names` are the parameters that the route knows.
 *
 * @param ignoresUnknown whether unknown names are left out instead
 */
export function parseQuery(
  text: string,
  names: ReadonlySet<string>,
  ignoresUnknown = false,
): { values: Record<string, string>; issues: InputIssue[] } {
  if (text === '') return { values: {}, issues: [] }
  const values: Record<string, string> = {}
  const issues: InputIssue[] = []
  const unknown = new Map<string, InputIssue>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const [rawName = '', ...rest] = pair.split('=')
    const name = decode(rawName) ?? rawName
    if (!names.has(name)) {
      if (!ignoresUnknown && !unknown.has(name))
        unknown.set(name, unrecognized([name], unknown.size < maxSuggestions ? [...names] : []))
      continue
    }
    const value = decode(rest.join('='))
    const report = (code: string, message: string) =>
      issues.push({ pointer: toPointer([name]), code, message })
    if (Object.hasOwn(values, name)) report('repeated', 'must be given once')
    else if (value === undefined) report('encoding', 'must be valid percent-encoded UTF-8')
    else if (value === '') report('empty', 'must not be empty')
    values[name] = value ?? ''
  }
  return { values, issues: [...issues, ...unknown.values()] }
}

function decode(text: string): string | undefined {
  if (!/[+%]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
