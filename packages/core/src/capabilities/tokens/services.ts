import type { LargeResponses } from '../../base/runtime/large-responses.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { TrustedIssuersServices } from '../trusted-issuers/services.ts'
import type { UserTokensServices } from '../user-tokens/services.ts'
import type { UserStore } from '../users/store.ts'
import type { AccessTokens } from './access-tokens.ts'

/** The services that this room needs. */
export type TokensServices = BaseServices &
  AccountsServices &
  TrustedIssuersServices &
  UserTokensServices & {
    repository: { users: UserStore }
    accessTokens: AccessTokens
    largeResponses: LargeResponses
  }
