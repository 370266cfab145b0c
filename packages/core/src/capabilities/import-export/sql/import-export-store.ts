import { lowestId } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { toVersionedUser } from '../../users/sql/user-rows.ts'
import type { ImportExportStore } from '../store.ts'
import { createImportBatch } from './import-batch.ts'
import { createImportLookUps, type ImportLookUps } from './import-look-ups.ts'
import { createImportProgress } from './import-progress.ts'
import { selectWholeUsers, toKnownUser } from './select-whole-users.ts'

export function createImportExportStore(db: Db, counts: UserCounts): ImportExportStore {
  const lookUps = createImportLookUps(db)
  const { storeProgress, ...progress } = createImportProgress(db)

  return {
    ...progress,
    exportBatch: exportBatch(db.reads),
    importBatch: createImportBatch(db, counts, lookUps, storeProgress),
    findTaken: findTaken(db, lookUps),
    findWhole: findWhole(db),
  }
}

function exportBatch(db: Db): ImportExportStore['exportBatch'] {
  const selectNext = db.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      selectWholeUsers(queries, value('accountId'))
        .where('u.id', '>', value('afterId'))
        .limit(value('limit')),
  )

  return async (accountId, afterId, limit) => {
    const input = { accountId, afterId: afterId ?? lowestId, limit }
    const rows = await db.query(selectNext, input)
    return rows.map((row) => ({
      ...toVersionedUser(row),
      passwordHash: row.password_hash,
      emailVerifiedAt: row.verified_at,
    }))
  }
}

function findTaken(db: Db, lookUps: ImportLookUps): ImportExportStore['findTaken'] {
  return async (accountId, { emails, ids }) => {
    const byEmail = { accountId, emails: JSON.stringify(emails) }
    const byId = { accountId, ids: toIdsJson(ids) }
    return [
      ...(await db.query(lookUps.emailsTaken, byEmail)),
      ...(ids.length === 0 ? [] : await db.query(lookUps.idsTaken, byId)),
    ]
  }
}

function findWhole(db: Db): ImportExportStore['findWhole'] {
  const selectUsers = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    selectWholeUsers(queries, value('accountId')).where((of) =>
      db.features.isAmong(of.ref('u.id'), idsInJson(db.features, value('ids'))),
    ),
  )

  return async (accountId, ids) => {
    const rows = await db.query(selectUsers, { accountId, ids: toIdsJson([...ids]) })
    return rows.map(toKnownUser)
  }
}
