/** `Bearer <credentials>`: the scheme in any case, one or more spaces (RFC 6750, RFC 9110). */
export const bearerPattern = /^bearer +([^ ]+)$/i

/** Takes the API key or the JWT out of `Bearer <credentials>`; undefined when the text has another form. */
export function readBearer(text: string): string | undefined {
  // As nearly everybody writes it: the pattern takes its time with a token of 600 characters.
  const rest = text.startsWith('Bearer ') ? text.slice(7) : ''
  if (rest !== '' && !rest.includes(' ')) return rest
  return bearerPattern.exec(text)?.[1]
}

/** Whether there is nothing behind the scheme, or not even that. */
export function isBearerEmpty(text: string): boolean {
  return /^(bearer)? *$/i.test(text)
}
