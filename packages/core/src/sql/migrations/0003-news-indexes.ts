import type { Migration } from '../migration.ts'

/** Finds what was written last, and what is due, over all accounts. */
export const newsIndexes: Migration = {
  name: '0003-news-indexes',
  up: ({ schema }, { insertionOrder }) => [
    schema
      .createIndex('clientele_webhook_deliveries_by_attempt')
      .on('clientele_webhook_deliveries')
      .column('next_attempt_at'),
    // SQLite has its rows in this order.
    ...(insertionOrder.type === undefined
      ? []
      : [
          schema
            .createIndex('clientele_events_by_insertion')
            .on('clientele_events')
            .column(insertionOrder.name),
        ]),
  ],
}
