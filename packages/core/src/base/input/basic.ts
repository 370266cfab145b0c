/** User name and password of HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  name: string
  password: string
}

/** Enough for an account's id and an API key in base64, with each character percent-encoded. */
const maxLength = 2_000
const scheme = /^basic(?: |$)/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Reads `Basic <credentials>` as OAuth clients send it: both parts are form-encoded before they are joined (RFC 6749,
 * section 2.3.1). Undefined when the text has another form. A part that cannot be decoded becomes empty, which matches
 * no account.
 */
export function readBasic(text: string): BasicCredentials | undefined {
  if (!scheme.test(text)) return undefined
  const encoded = text.length > maxLength ? '' : text.slice('basic '.length).trim()
  if (!base64.test(encoded)) return undefined
  const joined = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = joined.indexOf(':')
  if (colon === -1) return { name: '', password: '' }
  return { name: decode(joined.slice(0, colon)), password: decode(joined.slice(colon + 1)) }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
