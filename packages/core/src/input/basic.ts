/** User name and password of HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  name: string
  password: string
}

const basicPattern = /^basic(?: +([A-Za-z0-9+/]*={0,2}))? *$/i

/**
 * Reads `Basic <credentials>` as clients of OAuth send it: both parts are form-encoded before they are joined (RFC 6749,
 * section 2.3.1). Undefined when the text has another scheme; what cannot be read is empty, which nobody's is.
 */
export function readBasic(text: string): BasicCredentials | undefined {
  const found = basicPattern.exec(text)
  if (found === null) return undefined
  const joined = Buffer.from(found[1] ?? '', 'base64').toString('utf8')
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
