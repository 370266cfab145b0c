import type { LoopTurns } from '../../base/runtime/loop-turns.ts'
import type { BaseServices } from '../../base/services.ts'
import type { DevicesServices } from '../devices/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { PasskeysServices } from '../passkeys/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { MfaStore } from './store.ts'

/** The services that this room needs. */
export type MfaServices = BaseServices &
  DevicesServices &
  EventsServices &
  PasskeysServices &
  RateLimitsServices &
  SessionsServices &
  SigningKeysServices &
  UsersServices & {
    repository: { mfa: MfaStore }
    /** Shares the event loop among accounts */
    loopTurns: LoopTurns
  }
