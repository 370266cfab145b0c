import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { AccountStore } from './store.ts'

/** The services that this room needs. */
export type AccountsServices = BaseServices &
  EventsServices & {
    repository: { accounts: AccountStore }
  }
