import type { EventLimits } from './event-limits.ts'
import type { LoginThrottle } from './login-throttle.ts'

/** The services that this room needs. */
export type RateLimitsServices = {
  loginThrottle: LoginThrottle
  eventLimits: EventLimits
}
