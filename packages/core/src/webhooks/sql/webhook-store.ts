import type { FeedPositions } from '../../events/sql/feed-positions.ts'
import type { Db } from '../../sql/db.ts'
import type { WebhookStore } from '../store.ts'
import { createDeliveryQueries } from './delivery-queries.ts'
import { createPassOver } from './pass-over.ts'
import { createWebhookQueries } from './webhook-queries.ts'

export function createWebhookStore(db: Db, positions: FeedPositions): WebhookStore {
  return {
    ...createWebhookQueries(db),
    ...createDeliveryQueries(db),
    passOver: createPassOver(db, positions),
  }
}
