import type { BaseServices } from '../base/services.ts'
import type { AccountLifecycleServices } from '../capabilities/account-lifecycle/services.ts'
import type { AccountsServices } from '../capabilities/accounts/services.ts'
import type { ApiKeysServices } from '../capabilities/api-keys/services.ts'
import type { ImportExportServices } from '../capabilities/import-export/services.ts'
import type { PasskeysServices } from '../capabilities/passkeys/services.ts'
import type { RateLimitsServices } from '../capabilities/rate-limits/services.ts'
import type { ScimServices } from '../capabilities/scim/services.ts'
import type { SigningKeysServices } from '../capabilities/signing-keys/services.ts'
import type { TrustedIssuersServices } from '../capabilities/trusted-issuers/services.ts'
import type { MountServices } from '../mount/services.ts'
import type { ConsoleStore } from './store.ts'

/** The services that this room needs. */
export type ConsoleServices = BaseServices &
  AccountLifecycleServices &
  AccountsServices &
  ApiKeysServices &
  ImportExportServices &
  PasskeysServices &
  RateLimitsServices &
  ScimServices &
  SigningKeysServices &
  TrustedIssuersServices &
  MountServices & {
    repository: { console: ConsoleStore }
  }
