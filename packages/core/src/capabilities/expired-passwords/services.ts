import type { DevicesServices } from '../devices/services.ts'
import type { MfaServices } from '../mfa/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { ExpiredPasswordStore } from './store.ts'

/** The services that this room needs. */
export type ExpiredPasswordsServices = DevicesServices &
  MfaServices &
  PasswordsServices &
  SessionsServices &
  UsersServices & { repository: { expiredPasswords: ExpiredPasswordStore } }
