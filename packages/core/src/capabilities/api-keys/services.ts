import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { ApiKeyStore } from './store.ts'

/** The services that this room needs. */
export type ApiKeysServices = BaseServices &
  EventsServices &
  RateLimitsServices & {
    repository: { apiKeys: ApiKeyStore }
    /** The part of an API key that names its environment: `live`, `test` */
    environment: string
  }
