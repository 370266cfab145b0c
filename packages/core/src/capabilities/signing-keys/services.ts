import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningAlgorithm } from './signing-key.ts'
import type { SigningKeyStore } from './store.ts'

/** The services that this room needs. */
export type SigningKeysServices = BaseServices &
  AccountsServices &
  EventsServices & {
    repository: { signingKeys: SigningKeyStore }
    keyRing: KeyRing
    /** The algorithm that signs our tokens */
    signingAlgorithm: SigningAlgorithm
  }
