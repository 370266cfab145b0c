import type { InputIssue } from '../errors.ts'

/**
 * Reads a query strictly: a name that is repeated, a value that is empty or not valid percent-encoding breaks a rule.
 * `names` are the parameters that the route knows; others are ignored.
 */
export function parseQuery(
  text: string,
  names: ReadonlySet<string>,
): { values: Record<string, string>; issues: InputIssue[] } {
  const values: Record<string, string> = {}
  const issues: InputIssue[] = []
  if (text === '') return { values, issues }
  for (const pair of text.split('&')) {
    const [rawName = '', ...rest] = pair.split('=')
    const name = decode(rawName)
    if (name === undefined || !names.has(name)) continue
    const value = decode(rest.join('='))
    const report = (code: string, message: string) =>
      issues.push({ pointer: `/${name}`, code, message })
    if (Object.hasOwn(values, name)) report('repeated', 'must be given once')
    else if (value === undefined) report('encoding', 'must be valid percent-encoded UTF-8')
    else if (value === '') report('empty', 'must not be empty')
    values[name] = value ?? ''
  }
  return { values, issues }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
