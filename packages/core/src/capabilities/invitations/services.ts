import type { BaseServices } from '../../base/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { InvitationStore } from './store.ts'

/** The services that this room needs. */
export type InvitationsServices = BaseServices &
  RateLimitsServices &
  UsersServices & {
    repository: { invitations: InvitationStore }
  }
