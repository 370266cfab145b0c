import type { KeyedMutex } from '../../base/runtime/keyed-mutex.ts'
import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { TrustedIssuerStore } from './store.ts'
import type { TrustedIssuers } from './trusted-issuers.ts'

/** The services that this room needs. */
export type TrustedIssuersServices = BaseServices &
  EventsServices &
  SigningKeysServices & {
    repository: { trustedIssuers: TrustedIssuerStore }
    trustedIssuers: TrustedIssuers
    mutex: KeyedMutex
  }
