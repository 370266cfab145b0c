import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { IdentityStore } from './store.ts'

/** What the actions of this room work with. */
export type IdentitiesServices = BaseServices &
  EventsServices &
  UsersServices & {
    repository: { identities: IdentityStore }
  }
