import { lowestId } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { toVersionedUser } from '../../users/sql/user-rows.ts'
import type { ImportExportStore } from '../store.ts'
import { createImportQueries } from './import-queries.ts'
import { selectWholeUsers } from './select-whole-users.ts'

export function createImportExportStore(db: Db, counts: UserCounts): ImportExportStore {
  const selectNext = db.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      selectWholeUsers(queries, value('accountId'))
        .where('u.id', '>', value('afterId'))
        .limit(value('limit')),
  )

  return {
    ...createImportQueries(db, counts),
    exportBatch: async (accountId, afterId, limit) => {
      const input = { accountId, afterId: afterId ?? lowestId, limit }
      const rows = await db.query(selectNext, input)
      return rows.map((row) => ({
        ...toVersionedUser(row),
        passwordHash: row.password_hash,
        emailVerifiedAt: row.verified_at,
      }))
    },
  }
}
