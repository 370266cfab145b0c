import type { Db } from '../../../sql/db.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import type { ScimStore } from '../store.ts'
import { createGroupLeases } from './group-leases.ts'
import { createGroupLookUps } from './group-look-ups.ts'
import { createGroupMembers } from './group-members.ts'
import { createGroupWrites } from './group-writes.ts'
import { createScimUserLookUps } from './user-look-ups.ts'
import { createScimUserWrites } from './user-writes.ts'

export function createScimStore(db: Db, counts: UserCounts): ScimStore {
  return {
    ...createScimUserWrites(db, counts),
    ...createScimUserLookUps(db),
    ...createGroupLookUps(db),
    ...createGroupLeases(db),
    ...createGroupWrites(db),
    ...createGroupMembers(db),
  }
}
