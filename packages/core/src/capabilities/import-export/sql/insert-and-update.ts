import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { PlannedUser } from '../planned-user.ts'
import type { ImportBatch, ImportedUser, ImportOutcome, KnownUser, WrittenUser } from '../store.ts'
import { createCountCredentials } from './count-credentials.ts'
import { findTaken, type ImportLookUps, namesOf } from './import-look-ups.ts'
import { LeftOut, maxRounds, Overtaken, toWritten, type Written } from './import-outcome.ts'
import { planImport } from './import-plan.ts'
import type { ImportWrites } from './import-writes.ts'
import { selectWholeUsers, toKnownUser } from './select-whole-users.ts'

/** Stores new users and updates existing ones from the records. */
export function createInsertAndUpdate(db: Db, writes: ImportWrites, lookUps: ImportLookUps) {
  /**
   * With all data that an import can change. Locks the users: until the transaction ends no other one changes them or
   * signs one in.
   */
  const selectKnown = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    selectWholeUsers(queries, value('accountId'))
      .where((of) => db.features.isAmong(of.ref('u.id'), idsInJson(db.features, value('ids'))))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const countCredentials = createCountCredentials(db)

  function* lockKnown(accountId: string, users: readonly ImportedUser[]): Transaction<KnownUser[]> {
    const names = namesOf(users.map((user) => ({ user })))
    const ids = [...(yield* findTaken(lookUps, accountId, names)).keys()]
    if (ids.length === 0) return []
    const rows = yield* run(selectKnown, { accountId, ids: toIdsJson(ids) })
    return rows.map(toKnownUser)
  }

  return function* insertAndUpdate(accountId: string, batch: ImportBatch): Transaction<Written> {
    const { importedAt } = batch
    const outcome: ImportOutcome = { conflicts: [], updated: 0, withoutPassword: 0 }
    const written: WrittenUser[] = []
    let start = 0
    let ended = 0
    for (let round = 0; start < batch.users.length && round < maxRounds; round++) {
      const rest = batch.users.slice(start)
      const known = yield* lockKnown(accountId, rest)
      const plan = yield* planImport(rest, known, importedAt, {
        endedBefore: ended,
        countCredentials: (id) => countCredentials(accountId, id),
      })
      for (const { index, code } of plan.conflicts)
        outcome.conflicts.push({ index: start + index, code })
      if (batch.isAllOrNothing && outcome.conflicts.length > 0) throw new LeftOut(outcome)
      const made = plan.users.filter(({ isNew }) => isNew)
      const updated = plan.users.filter(({ isNew }) => !isNew)
      yield* writes.update(accountId, updated, importedAt)
      const stored = yield* writes.insert(accountId, made, importedAt)
      if (stored.size < made.length) throw new Overtaken()
      yield* writes.count(accountId, stored)
      written.push(...[...made, ...updated.filter(isTouched)].map(toWritten))
      outcome.updated += plan.updated
      outcome.withoutPassword += made.filter(({ passwordHash }) => passwordHash === null).length
      start += plan.settled
      ended = plan.ended
      // The rest follows in a transaction of its own, after other requests.
      if (plan.isLast) break
    }
    if (start < batch.users.length) outcome.settled = start
    return { outcome, written }
  }
}

/** Whether an import changes anything about an existing user. */
function isTouched({ hasChanged, newRoles, verification }: PlannedUser): boolean {
  return hasChanged || newRoles !== undefined || verification !== undefined
}
