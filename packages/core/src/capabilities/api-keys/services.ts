import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { ApiKeyStore } from './store.ts'

/** What the actions of this room work with. */
export type ApiKeysServices = BaseServices &
  EventsServices &
  RateLimitsServices & {
    repository: { apiKeys: ApiKeyStore }
    /** The part of an API key that says where it belongs: `live`, `test` */
    environment: string
  }
