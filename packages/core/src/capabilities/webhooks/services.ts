import type { KeyedMutex } from '../../base/runtime/keyed-mutex.ts'
import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { IdempotencyServices } from '../idempotency/services.ts'
import type { SigningKeysServices } from '../signing-keys/services.ts'
import type { WebhookDelivery } from './delivery-settings.ts'
import type { WebhookStore } from './store.ts'

/** The services that this room needs. */
export type WebhooksServices = BaseServices &
  EventsServices &
  IdempotencyServices &
  SigningKeysServices & {
    repository: { webhooks: WebhookStore }
    webhookDelivery: WebhookDelivery
    mutex: KeyedMutex
  }
