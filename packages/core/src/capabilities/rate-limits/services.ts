import type { EventLimits } from './event-limits.ts'
import type { LoginThrottle } from './login-throttle.ts'

/** What the actions of this room work with. */
export type RateLimitsServices = {
  loginThrottle: LoginThrottle
  eventLimits: EventLimits
}
