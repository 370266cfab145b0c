import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { type RateLimit, rateLimited } from '../rate-limits/login-throttle.ts'

/** How often a session has been refreshed of late. It is kept with the session: no refresh costs a write more. */
export interface RefreshWindow {
  windowRefreshes: number
  windowEndsAt: number
}

/**
 * Counts one more refresh of a session.
 *
 * @throws ClienteleError `rate_limited`
 */
export function countRefresh(
  { windowRefreshes, windowEndsAt }: RefreshWindow,
  limit: RateLimit,
  now: number,
): RefreshWindow {
  const windowMs = limit.windowSeconds * 1000
  // One that ends later than a window from now was begun under a clock that has gone back since.
  if (windowEndsAt <= now || windowEndsAt > now + windowMs + leewaySeconds * 1000) {
    return { windowRefreshes: 1, windowEndsAt: now + windowMs }
  }
  if (windowRefreshes >= limit.points) {
    throw rateLimited('refresh', limit, Math.ceil((windowEndsAt - now) / 1000))
  }
  return { windowRefreshes: windowRefreshes + 1, windowEndsAt }
}
