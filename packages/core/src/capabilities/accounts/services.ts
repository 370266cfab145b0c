import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { AccountStore } from './store.ts'

/** What the actions of this room work with. */
export type AccountsServices = BaseServices &
  EventsServices & {
    repository: { accounts: AccountStore }
  }
