import { z } from 'zod'

/**
 * A scope of a token that belongs to a user: one word of the application's, in the characters of RFC 6749, section 3.3,
 * which fit into the claim `scope` and into `WWW-Authenticate`.
 */
export const scopeSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]*$/, {
    message: 'must have visible characters of ASCII, without spaces, " and \\',
  })
  .meta({ examples: ['deploy'] })

/** Whether a verified token has all of these scopes, by its claim `scope` (RFC 8693, section 4.2). */
export function hasScopes(claims: object, wanted: readonly string[] = []): boolean {
  if (wanted.length === 0) return true
  const scope: unknown = Reflect.get(claims, 'scope')
  const held = typeof scope === 'string' ? scope.split(' ') : []
  return wanted.every((each) => held.includes(each))
}
