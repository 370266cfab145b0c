import type { LoopTurns } from '../../base/runtime/loop-turns.ts'
import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { PasskeysServices } from '../passkeys/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { MfaStore } from './store.ts'

/** What the actions of this room work with. */
export type MfaServices = BaseServices &
  EventsServices &
  PasskeysServices &
  RateLimitsServices &
  SessionsServices &
  SigningKeysServices &
  UsersServices & {
    repository: { mfa: MfaStore }
    /** How accounts share the event loop */
    loopTurns: LoopTurns
  }
