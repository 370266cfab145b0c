import { createHash } from 'node:crypto'

/** What is limited, in the words of the answer. */
const rateLimitKinds = ['login', 'two_factor', 'reset'] as const
/** Those of users, and signing in to the console, which is of no account */
export type RateLimitKind = (typeof rateLimitKinds)[number] | 'console'

/** How a target, or a network, stands in a key. */
export function digestOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url')
}

/** The keys under which the database counts failures at a target, wherever they came from. */
export function listCountKeys(target: string): string[] {
  return rateLimitKinds.map((kind) => `${kind}:${digestOf(target)}`)
}
