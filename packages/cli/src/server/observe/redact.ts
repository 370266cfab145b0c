/** What is written in place of a secret */
const hidden = '[redacted]'

/** Members that hold secrets or what is personal, whatever stands in them, by their names without `_` and `-` */
const hiddenNames =
  /authorization|cookie|password|secret|token|apikey|email|challenge|recoverycode|connectionstring/i

/** What can be told from other text by its form */
const hiddenForms = [
  // Our API keys, the secrets of webhooks, JWTs, and what follows the name of a scheme
  /\bcu_[a-z]+_[0-9A-Za-z]+|\bwhsec_[\w+/=-]+|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:Bearer|Basic) +[^\s"]+/g,
  // Password hashes
  /\$(?:argon2\w*|2[abxy]|pbkdf2[\w-]*|scrypt)\$[^\s"')]+/g,
  // The password of a URL
  /(?<=:\/\/[^\s/@:]*:)[^\s@/]+(?=@)/g,
  // E-mail addresses; what is no name of a domain is another kind of @, as in the path of a package
  /[^\s@"'<>(),;:=/\\]{1,64}@(?:[\p{L}\p{N}-]+\.)+(?:xn--[\p{L}\p{N}-]+|\p{L}{2,})/gu,
  // The row that PostgreSQL tells of when a constraint is broken
  /(?<=Key \([^)]*\)=)\(.*\)|(?<=Failing row contains )\(.*\)/gs,
]

const maxDepth = 8

/**
 * Copies what is to be logged, without secrets. Paths alone, as loggers know them, would not do: an error of a driver says
 * in its text which value was wrong.
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
  return hiddenForms.reduce((left, form) => left.replace(form, hidden), text)
}

function redactMember(name: string, value: unknown, depth: number): unknown {
  const isHidden = hiddenNames.test(name.replaceAll(/[_-]/g, ''))
  if (isHidden && (typeof value === 'string' || (typeof value === 'object' && value !== null)))
    return hidden
  return redact(value, depth)
}
