import type { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { IdempotencyServices } from '../idempotency/services.ts'
import type { IdentityStore } from '../identities/store.ts'
import type { MfaServices } from '../mfa/services.ts'
import type { ScimStore } from '../scim/store.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { PersonalDataStore } from './store.ts'

/** The services that this room needs. */
export type PersonalDataServices = BaseServices &
  EventsServices &
  IdempotencyServices &
  MfaServices &
  SigningKeysServices &
  UsersServices & {
    /** Lets accounts take turns at the rows of a person: to read them, and to delete them in one transaction */
    personTurns: FairLimit
    /** The exports of an account, with the searches after their turn, which wait for others of the account */
    personExports: FairLimit
    /** The erasures of an account, with what they delete in parts before their turn */
    erasures: FairLimit
    repository: { identities: IdentityStore; personalData: PersonalDataStore; scim: ScimStore }
  }
