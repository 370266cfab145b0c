import type { FeedPositions } from '../../events/sql/feed-positions.ts'
import type { Db } from '../../sql/db.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import type { PersonalDataStore } from '../store.ts'
import { createErasure } from './erasure.ts'
import { createPersonQueries } from './person-queries.ts'

export function createPersonalDataStore(
  db: Db,
  counts: UserCounts,
  positions: FeedPositions,
): PersonalDataStore {
  return { ...createPersonQueries(db, positions), ...createErasure(db, counts) }
}
