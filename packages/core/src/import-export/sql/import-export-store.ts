import { lowestId } from '../../input/id.ts'
import type { Db } from '../../sql/db.ts'
import { toVersionedUser, userColumns } from '../../sql/rows.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import type { ImportExportStore } from '../store.ts'
import { createImportQueries } from './import-queries.ts'

export function createImportExportStore(db: Db, counts: UserCounts): ImportExportStore {
  const selectNext = db.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        .select('u.password_hash')
        .select((of) =>
          of
            .selectFrom('clientele_verified_emails as v')
            .select('v.verified_at')
            .whereRef('v.account_id', '=', 'u.account_id')
            .whereRef('v.user_id', '=', 'u.id')
            .whereRef('v.email', '=', 'u.email')
            .as('verified_at'),
        )
        .where('u.account_id', '=', value('accountId'))
        .where('u.id', '>', value('afterId'))
        .orderBy('u.id')
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
