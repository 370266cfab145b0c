import type { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { TimeShare } from '../../base/runtime/time-share.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { GroupTurns } from './group-turns.ts'
import type { ScimStore } from './store.ts'

/** The services that this room needs. */
export type ScimServices = BaseServices &
  AccountsServices &
  EventsServices &
  UsersServices & {
    /** The lists and searches, of an account one after the other. Each takes a place of one of the kinds below then, and accounts share their time */
    scimReads: FairLimit
    /** The searches by indexes */
    scimSearches: TimeShare
    /** The searches among all users or groups of an account */
    scimWalks: TimeShare
    /** The pages of other lists */
    scimPages: TimeShare
    scimGroupTurns: GroupTurns
    repository: { scim: ScimStore }
  }
