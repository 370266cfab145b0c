import type { SignatureTurns } from '../../base/runtime/signature-turns.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { TokensServices } from '../tokens/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { PasskeyStore } from './store.ts'

/** The services that this room needs. */
export type PasskeysServices = BaseServices &
  AccountsServices &
  EventsServices &
  RateLimitsServices &
  SessionsServices &
  SigningKeysServices &
  TokensServices &
  UsersServices & {
    signatures: SignatureTurns
    repository: { passkeys: PasskeyStore }
  }
