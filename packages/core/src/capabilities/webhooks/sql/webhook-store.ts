import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../../events/store.ts'
import type { WebhookStore } from '../store.ts'
import { createListAttempts } from './attempt-queries.ts'
import { createDeliveryQueries } from './delivery-queries.ts'
import { createFindDueSince } from './find-due-since.ts'
import { createPassOver } from './pass-over.ts'
import { createWebhookQueries } from './webhook-queries.ts'

export function createWebhookStore(db: Db, events: Pick<EventStore, 'findEnd'>): WebhookStore {
  return {
    ...createWebhookQueries(db),
    ...createDeliveryQueries(db),
    findDueSince: createFindDueSince(db),
    listAttempts: createListAttempts(db),
    passOver: createPassOver(db, events),
  }
}
