import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { RateLimit } from '../rate-limits/login-throttle.ts'
import type { TokensServices } from '../tokens/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { SessionStore } from './store.ts'

/** What the actions of this room work with. */
export type SessionsServices = BaseServices &
  EventsServices &
  TokensServices &
  UsersServices & {
    repository: { sessions: SessionStore }
    /** How long a session lives when it is not used, in seconds */
    sessionTtlSeconds: number
    /** How long use can keep a session alive, in seconds */
    sessionMaxSeconds: number
    /** For how long a used refresh token still gives its successor, in seconds */
    refreshReuseSeconds: number
    /** How often a session may be refreshed */
    refreshLimit: RateLimit
  }
