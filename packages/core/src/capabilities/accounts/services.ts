import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { AccountStore } from './store.ts'

/** The services that this room needs. */
export type AccountsServices = BaseServices &
  EventsServices &
  Pick<PasswordsServices, 'passwordPolicy'> & {
    repository: { accounts: AccountStore }
    /** How long an unused session lives, in seconds */
    sessionTtlSeconds: number
    /** How long use can keep a session alive, in seconds */
    sessionMaxSeconds: number
  }
