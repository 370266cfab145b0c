import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { UserTokenStore } from './store.ts'

/** The services that this room needs. */
export type UserTokensServices = BaseServices &
  EventsServices &
  UsersServices & {
    repository: { userTokens: UserTokenStore }
    /** The part of a token that names its environment: `live`, `test` */
    environment: string
  }
