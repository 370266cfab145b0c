/** Replaces a secret */
const hidden = '[redacted]'

/** Names of members that hold secrets or personal data, without `_` and `-` */
const hiddenNames =
  /authorization|cookie|password|secret|token|apikey|email|challenge|recoverycode|connectionstring/i

/** Patterns of secrets, and their replacements */
const hiddenForms: readonly [RegExp, string][] = [
  // Our API keys, users' own tokens, the secrets of webhooks, and the text after the name of a scheme
  [/\bcut?_[a-z]+_[0-9A-Za-z]+/g, hidden],
  [/\bwhsec_[\w+/=-]+/g, hidden],
  [/\bBearer +[^\s"]+/g, hidden],
  [/\bBasic +[^\s"]+/g, hidden],
  // Password hashes
  [/\$[a-z0-9][\w-]*\$[^\s"')]+/g, hidden],
  // The password of a URL
  [/:\/\/([^\s/@:]*):[^\s@/]+@/g, `://$1:${hidden}@`],
  // E-mail addresses; with a number as the last label it is another kind of @, as in the path of a package
  [
    /[^\s@"<>(),;:=/\\]{1,64}@(?:[\p{L}\p{M}\p{N}-]+\.)+\p{N}*[\p{L}\p{M}-][\p{L}\p{M}\p{N}-]*/gu,
    hidden,
  ],
]

/** The text before the row values in PostgreSQL's message about a broken constraint. */
const beforeRows = [/\bKey \([^=]{1,200}\)=\(/, /\bFailing row contains \(/]

/** Longer texts are cut off: they may contain a large input. */
const maxLength = 16 * 1024

const maxDepth = 8

/**
 * Copies a log entry without its secrets. Redacting by path, as loggers do, is not enough: the text of a driver's error
 * can contain the invalid value.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth === maxDepth) return hidden
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactMember(name, member, depth + 1)]),
  )
}

export function redactText(text: string): string {
  const [start, rest] = text.length > maxLength ? [cut(text), ` ${hidden}`] : [text, '']
  const withoutRows = beforeRows.reduce(hideRow, hideTokens(start))
  return hiddenForms.reduce((left, [form, shown]) => left.replace(form, shown), withoutRows) + rest
}

/** Cuts between two words: half a secret would not match the patterns. */
function cut(text: string): string {
  const start = text.slice(0, maxLength)
  return start.slice(0, Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'), 0))
}

/** Hides JWTs: from the start of a JWT, all characters that can belong to it. */
function hideTokens(text: string): string {
  if (!text.includes('eyJ')) return text
  return text.replaceAll(/[\w.-]+/g, (run) => {
    const at = run.indexOf('eyJ')
    const isToken = at !== -1 && run.slice(at).split('.', 3).length === 3
    return isToken ? run.slice(0, at) + hidden : run
  })
}

function hideRow(text: string, before: RegExp): string {
  const found = before.exec(text)
  if (found === null) return text
  const start = found.index + found[0].length - 1
  const end = text.lastIndexOf(')')
  return text.slice(0, start) + hidden + (end > start ? text.slice(end + 1) : '')
}

function redactMember(name: string, value: unknown, depth: number): unknown {
  const isHidden = hiddenNames.test(name.replaceAll(/[_-]/g, ''))
  if (isHidden && (typeof value === 'string' || (typeof value === 'object' && value !== null)))
    return hidden
  return redact(value, depth)
}
