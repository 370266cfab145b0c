import type { BaseServices } from '../../base/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { EmailChangeStore } from './store.ts'

/** The services that this room needs. */
export type EmailChangesServices = BaseServices &
  RateLimitsServices &
  UsersServices & {
    repository: { emailChanges: EmailChangeStore }
  }
