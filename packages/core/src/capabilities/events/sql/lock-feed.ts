import type { Db } from '../../../sql/db.ts'

/**
 * Reads and locks the row of an account's feed: until the transaction ends no other one can assign or delete positions.
 */
export function createLockFeed(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_event_feeds')
      .select(['last_position as lastPosition', 'chain'])
      .select(['purged_position as purgedPosition', 'purged_chain as purgedChain'])
      .where('account_id', '=', value('accountId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
}
