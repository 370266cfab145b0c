import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { type RateLimit, rateLimited } from '../rate-limits/login-throttle.ts'

/** How often a session was refreshed recently. It is stored with the session: a refresh needs no further write. */
export interface RefreshWindow {
  windowRefreshes: number
  windowEndsAt: number
}

/**
 * Counts another refresh of a session.
 *
 * @throws ClienteleError `rate_limited`
 */
export function countRefresh(
  { windowRefreshes, windowEndsAt }: RefreshWindow,
  limit: RateLimit,
  now: number,
): RefreshWindow {
  const windowMs = limit.windowSeconds * 1000
  // If the window ends later than a new one would, the clock was set back since it began.
  if (windowEndsAt <= now || windowEndsAt > now + windowMs + leewaySeconds * 1000) {
    return { windowRefreshes: 1, windowEndsAt: now + windowMs }
  }
  if (windowRefreshes >= limit.points) {
    throw rateLimited('refresh', limit, Math.ceil((windowEndsAt - now) / 1000))
  }
  return { windowRefreshes: windowRefreshes + 1, windowEndsAt }
}
