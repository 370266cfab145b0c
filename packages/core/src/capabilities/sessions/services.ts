import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { RateLimit } from '../rate-limits/login-throttle.ts'
import type { TokensServices } from '../tokens/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { SessionStore } from './store.ts'

/** The services that this room needs. */
export type SessionsServices = BaseServices &
  EventsServices &
  TokensServices &
  UsersServices & {
    repository: { sessions: SessionStore }
    /** How long a used refresh token still yields its successor, in seconds */
    refreshReuseSeconds: number
    /** How often a session may be refreshed */
    refreshLimit: RateLimit
  }
