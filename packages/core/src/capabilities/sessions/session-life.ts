import type { AccountPolicy } from '../accounts/account-policy.ts'
import type { SessionsServices } from './services.ts'

/** How long a session of an account lives, in seconds: its policy narrows what the service allows. */
export function sessionLifeOf(
  { sessionTtlSeconds, sessionMaxSeconds }: SessionsServices,
  policy: AccountPolicy,
): { ttlSeconds: number; maxSeconds: number } {
  return {
    ttlSeconds: Math.min(sessionTtlSeconds, policy.sessionTtlSeconds ?? Number.POSITIVE_INFINITY),
    maxSeconds: Math.min(sessionMaxSeconds, policy.sessionMaxSeconds ?? Number.POSITIVE_INFINITY),
  }
}
