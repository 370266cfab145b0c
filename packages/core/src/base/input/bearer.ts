/** `Bearer <credentials>`: the scheme in any case, one or more spaces (RFC 6750, RFC 9110). */
export const bearerPattern = /^bearer +([^ ]+)$/i

/** Reads the API key or the JWT from `Bearer <credentials>`; undefined when the text has another form. */
export function readBearer(text: string): string | undefined {
  // A fast path for the usual spelling: the pattern is slow for a token of 600 characters.
  const rest = text.startsWith('Bearer ') ? text.slice(7) : ''
  if (rest !== '' && !rest.includes(' ')) return rest
  return bearerPattern.exec(text)?.[1]
}

/** Whether nothing follows the scheme, or the text is empty. */
export function isBearerEmpty(text: string): boolean {
  return /^(bearer)? *$/i.test(text)
}
