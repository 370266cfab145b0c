import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { IdempotencyServices } from '../idempotency/services.ts'
import type { IdentityStore } from '../identities/store.ts'
import type { MfaServices } from '../mfa/services.ts'
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
    repository: { identities: IdentityStore; personalData: PersonalDataStore }
  }
