import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { ApiKeysServices } from '../api-keys/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UserStore } from '../users/store.ts'
import type { AccountLifecycleStore } from './store.ts'

/** The services that this room needs. */
export type AccountLifecycleServices = BaseServices &
  AccountsServices &
  ApiKeysServices &
  EventsServices & {
    repository: { accountLifecycle: AccountLifecycleStore; users: UserStore }
  }
