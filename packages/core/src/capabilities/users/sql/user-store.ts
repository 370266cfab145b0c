import type { Db } from '../../../sql/db.ts'
import type { UserCounts } from '../counts/sql/user-counts.ts'
import type { UserStore } from '../store.ts'
import { createUserDeletions } from './user-deletions.ts'
import { createUserListQueries } from './user-list-queries.ts'
import { createUserQueries } from './user-queries.ts'

export function createUserStore(db: Db, counts: UserCounts): UserStore {
  return {
    ...createUserQueries(db, counts),
    ...createUserListQueries(db, counts),
    ...createUserDeletions(db, counts),
    recount: (accountId) => counts.rebuild(accountId),
  }
}
