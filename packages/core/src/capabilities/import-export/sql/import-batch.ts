import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import type { Transaction } from '../../../sql/statement.ts'
import { appendEvents } from '../../events/sql/append-events.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import type { ImportBatch, ImportExportStore, ImportOutcome, WrittenUser } from '../store.ts'
import type { ImportLookUps } from './import-look-ups.ts'
import { LeftOut, Overtaken } from './import-outcome.ts'
import type { StoreProgress } from './import-progress.ts'
import { createImportWrites } from './import-writes.ts'
import { createInsertAndUpdate } from './insert-and-update.ts'
import { createInsertNew } from './insert-new.ts'

/** How often a batch is retried after conflicts with concurrent writes. */
const maxAttempts = 12

/** Stores a batch of users, their events and the progress of the import in one transaction. */
export function createImportBatch(
  db: Db,
  counts: UserCounts,
  lookUps: ImportLookUps,
  storeProgress: StoreProgress,
): ImportExportStore['importBatch'] {
  const writes = createImportWrites(db)
  const insertNew = createInsertNew(writes, lookUps, counts)
  const insertAndUpdate = createInsertAndUpdate(db, writes, lookUps)
  const writeEvents = appendEvents(db)

  function* importBatch(accountId: string, batch: ImportBatch): Transaction<ImportOutcome> {
    const work = batch.updatesKnown ? insertAndUpdate : insertNew
    const { outcome, written } = yield* work(accountId, batch)
    if (written.length > 0) {
      outcome.events = batch.eventsOf(written.sort(byId))
      yield* writeEvents(accountId, outcome.events)
    }
    if (batch.progress !== undefined) {
      const { source, after } = batch.progress
      yield* storeProgress(accountId, source, after(outcome), batch.importedAt)
    }
    return outcome
  }

  async function transact(accountId: string, batch: ImportBatch): Promise<ImportOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        // An update must see the sessions that were opened while it waited for the users' rows. An insert can count at
        // once, from one snapshot.
        const options = { snapshot: !batch.updatesKnown }
        return await db.transact(() => importBatch(accountId, batch), options)
      } catch (error) {
        const isOvertaken =
          error instanceof Overtaken ||
          (error instanceof ConstraintViolation && error.kind === 'unique')
        if (!isOvertaken || attempt === maxAttempts) throw error
      }
    }
  }

  return async (accountId, batch) => {
    try {
      const outcome = await transact(accountId, batch)
      if (batch.updatesKnown) counts.foldSoon(accountId)
      return outcome
    } catch (error) {
      if (error instanceof LeftOut) return error.outcome
      if (error instanceof ConstraintViolation && error.kind === 'foreign_key') {
        return 'account_not_found'
      }
      throw error
    }
  }
}

function byId(left: WrittenUser, right: WrittenUser): number {
  return left.user.id < right.user.id ? -1 : 1
}
