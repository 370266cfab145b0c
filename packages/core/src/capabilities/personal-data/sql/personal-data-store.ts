import type { Db } from '../../../sql/db.ts'
import type { EventStore } from '../../events/store.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import type { PersonalDataStore } from '../store.ts'
import { createErasure } from './erasure.ts'
import { createPersonQueries } from './person-queries.ts'

export function createPersonalDataStore(
  db: Db,
  counts: UserCounts,
  events: Pick<EventStore, 'findEnd'>,
): PersonalDataStore {
  return { ...createPersonQueries(db, events), ...createErasure(db, counts) }
}
