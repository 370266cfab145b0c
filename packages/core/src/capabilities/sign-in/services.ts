import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { DevicesServices } from '../devices/services.ts'
import type { EmailTokenStore } from '../email-tokens/store.ts'
import type { EventsServices } from '../events/services.ts'
import type { IdentityStore } from '../identities/store.ts'
import type { MfaServices } from '../mfa/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { TokensServices } from '../tokens/services.ts'
import type { TrustedIssuersServices } from '../trusted-issuers/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { SignInStore } from './store.ts'

/** The services that this room needs. */
export type SignInServices = BaseServices &
  AccountsServices &
  DevicesServices &
  EventsServices &
  MfaServices &
  PasswordsServices &
  RateLimitsServices &
  SessionsServices &
  TokensServices &
  TrustedIssuersServices &
  UsersServices & {
    repository: { emailTokens: EmailTokenStore; identities: IdentityStore; signIn: SignInStore }
  }
