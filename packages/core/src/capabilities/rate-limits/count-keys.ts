import { hash } from 'node:crypto'

/** The limited actions, as named in the response. */
const rateLimitKinds = ['login', 'two_factor', 'reset'] as const
/** The user's actions, and signing in to the console, which belongs to no account */
export type RateLimitKind = (typeof rateLimitKinds)[number] | 'console'

/**
 * The form of a target or a network in a key. An erasure makes hundreds of thousands: many objects of `createHash` would
 * make the collection of garbage stop other requests.
 */
export function digestOf(subject: string): string {
  return hash('sha256', subject, 'base64url')
}

/** The keys under which the database counts failures at a target, from all networks. */
export function listCountKeys(target: string): string[] {
  const digest = digestOf(target)
  return rateLimitKinds.map((kind) => `${kind}:${digest}`)
}
