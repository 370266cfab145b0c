import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { IdentityStore } from './store.ts'

/** The services that this room needs. */
export type IdentitiesServices = BaseServices &
  EventsServices &
  UsersServices & {
    repository: { identities: IdentityStore }
  }
