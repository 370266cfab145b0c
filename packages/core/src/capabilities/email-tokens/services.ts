import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { EmailTokenStore } from './store.ts'

/** The services that this room needs. */
export type EmailTokensServices = BaseServices &
  EventsServices &
  PasswordsServices &
  RateLimitsServices &
  UsersServices & {
    repository: { emailTokens: EmailTokenStore }
  }
