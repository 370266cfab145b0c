import type { Migration } from '../migration.ts'

/** What links each entry of a feed to the one before, where that is switched on. */
export const auditChain: Migration = {
  name: '0006-audit-chain',
  up: ({ schema }) => [
    schema.alterTable('clientele_events').addColumn('chain', 'text'),
    schema.alterTable('clientele_events').addColumn('person_salt', 'text'),
    schema.alterTable('clientele_event_feeds').addColumn('chain', 'text'),
    schema.alterTable('clientele_event_feeds').addColumn('purged_chain', 'text'),
  ],
}
