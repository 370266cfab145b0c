import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { ImportExportStore, ImportProgress } from '../store.ts'

interface SourceKey {
  accountId: string
  source: string
}

const columns = [
  'records',
  'imported',
  'updated',
  'skipped',
  'conflicts',
  'without_password',
] as const

export type StoreProgress = (
  accountId: string,
  source: string,
  progress: ImportProgress,
  now: number,
) => Transaction<void>

/** The progress of imports, so that an interrupted one can continue. */
export function createImportProgress(
  db: Db,
): Pick<ImportExportStore, 'findProgress' | 'endImport'> & { storeProgress: StoreProgress } {
  const select = db.statement<SourceKey>()((queries, value) =>
    queries
      .selectFrom('clientele_imports')
      .select(columns)
      .where('account_id', '=', value('accountId'))
      .where('source', '=', value('source')),
  )
  const store = db.statement<SourceKey & ImportProgress & { now: number }>()((queries, value) =>
    queries
      .insertInto('clientele_imports')
      .values({
        account_id: value('accountId'),
        source: value('source'),
        records: value('records'),
        imported: value('imported'),
        updated: value('updated'),
        skipped: value('skipped'),
        conflicts: value('conflicts'),
        without_password: value('withoutPassword'),
        updated_at: value('now'),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'source'])
          .doUpdateSet((of) =>
            Object.fromEntries(
              [...columns, 'updated_at' as const].map((name) => [name, of.ref(`excluded.${name}`)]),
            ),
          ),
      ),
  )
  const remove = db.statement<SourceKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_imports')
      .where('account_id', '=', value('accountId'))
      .where('source', '=', value('source')),
  )

  return {
    findProgress: async (accountId, source) => {
      const row = await db.queryOne(select, { accountId, source })
      if (row === undefined) return undefined
      const { without_password: withoutPassword, ...progress } = row
      return { ...progress, withoutPassword }
    },
    endImport: async (accountId, source) => {
      await db.query(remove, { accountId, source })
    },
    *storeProgress(accountId, source, progress, now) {
      yield* run(store, { accountId, source, ...progress, now })
    },
  }
}
