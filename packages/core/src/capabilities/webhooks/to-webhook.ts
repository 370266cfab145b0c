import type { WebhookRecord } from './store.ts'
import type { Webhook } from './webhook.ts'

/** The public form of an endpoint: without its secrets. */
export function toWebhook(record: WebhookRecord): Webhook {
  return {
    id: record.id,
    url: record.url,
    types: record.types,
    description: record.description,
    isActive: record.isActive,
    disabledReason: record.disabledReason,
    createdAt: new Date(record.createdAt),
    updatedAt: new Date(record.updatedAt),
  }
}
