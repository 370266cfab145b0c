import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../../events/store.ts'
import type { WebhookStore } from '../store.ts'
import { createListAttempts } from './attempt-queries.ts'
import { createFindDue } from './find-due.ts'
import { createFindDueSince } from './find-due-since.ts'
import { createLease } from './leases.ts'
import { createPassOver } from './pass-over.ts'
import { createPendingQueries } from './pending-queries.ts'
import { createPlaceNews } from './place-news.ts'
import { createSettle } from './settle.ts'
import { createWebhookQueries } from './webhook-queries.ts'

export function createWebhookStore(db: Db, events: Pick<EventStore, 'givePlaces'>): WebhookStore {
  return {
    ...createWebhookQueries(db),
    ...createPendingQueries(db),
    findDue: createFindDue(db),
    findDueSince: createFindDueSince(db),
    lease: createLease(db),
    listAttempts: createListAttempts(db),
    passOver: createPassOver(db),
    placeNews: createPlaceNews(db, events),
    settle: createSettle(db),
  }
}
