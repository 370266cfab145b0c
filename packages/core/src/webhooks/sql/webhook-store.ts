import type { Db } from '../../sql/db.ts'
import type { WebhookStore } from '../store.ts'
import { createDeliveryQueries } from './delivery-queries.ts'
import { createWebhookQueries } from './webhook-queries.ts'

export function createWebhookStore(db: Db): WebhookStore {
  return { ...createWebhookQueries(db), ...createDeliveryQueries(db) }
}
