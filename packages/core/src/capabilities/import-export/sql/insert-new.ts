import type { Transaction } from '../../../sql/statement.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { planNewUser } from '../planned-user.ts'
import type {
  ImportBatch,
  ImportConflict,
  ImportedUser,
  ImportOutcome,
  WrittenUser,
} from '../store.ts'
import { findTaken, type ImportLookUps, namesOf } from './import-look-ups.ts'
import { LeftOut, maxRounds, toWritten, type Written } from './import-outcome.ts'
import type { ImportWrites } from './import-writes.ts'

/** Stores new users and skips existing ones. */
export function createInsertNew(writes: ImportWrites, lookUps: ImportLookUps, counts: UserCounts) {
  return function* insertNew(accountId: string, batch: ImportBatch): Transaction<Written> {
    const { users, importedAt } = batch
    const outcome: ImportOutcome = { conflicts: [], updated: 0, withoutPassword: 0 }
    const written: WrittenUser[] = []
    const settled = findSettled(users)
    if (settled < users.length) outcome.settled = settled
    const records = users.slice(0, settled).map((user, index) => ({ user, index }))
    // Hooks were not asked about a new user: it stays one who is there, also if it has just been deleted.
    for (const { user, index } of records)
      if (user.asked)
        outcome.conflicts.push({ index, code: codeOf(user.asked.email === user.email) })
    let waiting = records.filter(({ user }) => !user.asked)
    while (waiting.length > 0) {
      // Users with a common e-mail or id are stored one by one: the next only if the previous one was skipped.
      const { apart, rest } = separate(waiting)
      const planned = apart.map(({ user }) => planNewUser(user, importedAt))
      const stored = yield* writes.insert(accountId, planned, importedAt)
      for (const { id, passwordHash } of planned) {
        if (stored.has(id) && passwordHash === null) outcome.withoutPassword++
      }
      written.push(...planned.filter(({ id }) => stored.has(id)).map(toWritten))
      const late = apart.filter(({ user }) => !stored.has(user.id))
      const taken =
        late.length === 0 ? undefined : yield* findTaken(lookUps, accountId, namesOf(late))
      const emails = new Set(taken?.values())
      for (const { user, index } of late) {
        outcome.conflicts.push({ index, code: codeOf(emails.has(user.email)) })
      }
      waiting = rest
    }
    outcome.conflicts.sort((left, right) => left.index - right.index)
    if (batch.isAllOrNothing && outcome.conflicts.length > 0) throw new LeftOut(outcome)
    yield* counts.add(
      accountId,
      written.map(({ user }) => user.id),
    )
    return { outcome, written }
  }
}

function codeOf(hasEmail: boolean): ImportConflict['code'] {
  return hasEmail ? 'email_taken' : 'id_taken'
}

/** How many users come before the first one that needs too many rounds. */
function findSettled(users: readonly ImportedUser[]): number {
  const seen = new Set<string>()
  let repeated = 0
  for (const [index, { id, email }] of users.entries()) {
    if ((seen.has(id) || seen.has(email)) && ++repeated === maxRounds) return index
    seen.add(id).add(email)
  }
  return users.length
}

/** Splits users into those without a common e-mail or id (the first of each) and the others. */
function separate<Item extends { user: ImportedUser }>(
  items: readonly Item[],
): { apart: Item[]; rest: Item[] } {
  const seen = new Set<string>()
  const apart: Item[] = []
  const rest: Item[] = []
  for (const item of items) {
    const { id, email } = item.user
    const isApart = !seen.has(id) && !seen.has(email)
    seen.add(id).add(email)
    ;(isApart ? apart : rest).push(item)
  }
  return { apart, rest }
}
