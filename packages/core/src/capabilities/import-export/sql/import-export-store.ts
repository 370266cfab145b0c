import { lowestId } from '../../../base/input/id.ts'
import { ConstraintViolation, type Db, Rollback, run, type Transaction } from '../../../sql/db.ts'
import { toIdsJson } from '../../../sql/ids-in-json.ts'
import { mapFields, userFieldNames } from '../../../user-model/fields.ts'
import { toStoredUser } from '../../../user-model/stored-user.ts'
import { appendEvents } from '../../events/sql/append-events.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { toVersionedUser } from '../../users/sql/user-rows.ts'
import type {
  ImportBatch,
  ImportExportStore,
  ImportedUser,
  ImportOutcome,
  WrittenUser,
} from '../store.ts'
import { createImportLookUps } from './import-look-ups.ts'
import { type KnownUser, type PlannedUser, planImport, planNewUser } from './import-plan.ts'
import { createImportProgress } from './import-progress.ts'
import { ImportWrites } from './import-writes.ts'
import { selectWholeUsers } from './select-whole-users.ts'

/** The outcome of a batch, and the users that it wrote */
interface Written {
  outcome: ImportOutcome
  written: WrittenUser[]
}

/**
 * How many rounds of statements a batch takes when its users share e-mails or ids; the remaining users follow in a
 * later batch.
 */
const maxRounds = 8
/** How often a batch is retried after conflicts with concurrent writes. */
const maxAttempts = 12

export function createImportExportStore(db: Db, counts: UserCounts): ImportExportStore {
  const lookUps = createImportLookUps(db)
  const writes = new ImportWrites(db)
  const { storeProgress, ...progress } = createImportProgress(db)
  const writeEvents = appendEvents(db)
  const selectNext = db.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      selectWholeUsers(queries, value('accountId'))
        .where('u.id', '>', value('afterId'))
        .limit(value('limit')),
  )

  /** The users who have one of the e-mails or ids in the records. */
  function* findTaken(
    accountId: string,
    { emails, ids }: { emails: string[]; ids: string[] },
  ): Transaction<Map<string, string>> {
    const found = new Map<string, string>()
    const input = { accountId, emails: JSON.stringify(emails) }
    for (const { id, email } of yield* run(lookUps.emailsTaken, input)) found.set(id, email)
    if (ids.length === 0) return found
    const named = toIdsJson(ids)
    for (const { id, email } of yield* run(lookUps.idsTaken, { accountId, ids: named }))
      found.set(id, email)
    return found
  }

  /** Stores new users and skips existing ones. */
  function* insertNew(accountId: string, batch: ImportBatch): Transaction<Written> {
    const { users, importedAt } = batch
    const outcome: ImportOutcome = { conflicts: [], updated: 0, withoutPassword: 0 }
    const written: WrittenUser[] = []
    const settled = findSettled(users)
    if (settled < users.length) outcome.settled = settled
    let waiting = users.slice(0, settled).map((user, index) => ({ user, index }))
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
      const taken = late.length === 0 ? undefined : yield* findTaken(accountId, namesOf(late))
      const emails = new Set(taken?.values())
      for (const { user, index } of late) {
        outcome.conflicts.push({ index, code: emails.has(user.email) ? 'email_taken' : 'id_taken' })
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

  function* lockKnown(accountId: string, users: readonly ImportedUser[]): Transaction<KnownUser[]> {
    const names = namesOf(users.map((user) => ({ user })))
    const ids = [...(yield* findTaken(accountId, names)).keys()]
    if (ids.length === 0) return []
    const rows = yield* run(lookUps.lockKnown, { accountId, ids: toIdsJson(ids) })
    return rows.map((row) => ({
      ...toStoredUser(row),
      passwordHash: row.password_hash,
      verifiedAt: row.verified_at,
    }))
  }

  /** Stores new users and updates existing ones from the records. */
  function* insertAndUpdate(accountId: string, batch: ImportBatch): Transaction<Written> {
    const { importedAt } = batch
    const outcome: ImportOutcome = { conflicts: [], updated: 0, withoutPassword: 0 }
    const written: WrittenUser[] = []
    let start = 0
    for (let round = 0; start < batch.users.length && round < maxRounds; round++) {
      const rest = batch.users.slice(start)
      const plan = planImport(rest, yield* lockKnown(accountId, rest), importedAt)
      for (const { index, code } of plan.conflicts)
        outcome.conflicts.push({ index: start + index, code })
      if (batch.isAllOrNothing && outcome.conflicts.length > 0) throw new LeftOut(outcome)
      const made = plan.users.filter(({ isNew }) => isNew)
      const known = plan.users.filter(({ isNew }) => !isNew)
      yield* writes.update(accountId, known, importedAt)
      const stored = yield* writes.insert(accountId, made, importedAt)
      if (stored.size < made.length) throw new Overtaken()
      yield* writes.count(accountId, stored)
      written.push(...[...made, ...known.filter(isTouched)].map(toWritten))
      outcome.updated += plan.updated
      outcome.withoutPassword += made.filter(({ passwordHash }) => passwordHash === null).length
      start += plan.settled
    }
    if (start < batch.users.length) outcome.settled = start
    return { outcome, written }
  }

  function* importBatch(accountId: string, batch: ImportBatch): Transaction<ImportOutcome> {
    const work = batch.updatesKnown ? insertAndUpdate : insertNew
    const { outcome, written } = yield* work(accountId, batch)
    if (written.length > 0) {
      outcome.events = batch.eventsOf(written.sort(byId))
      yield* writeEvents(accountId, outcome.events)
    }
    if (batch.progress !== undefined) {
      const { source, after } = batch.progress
      yield* storeProgress(accountId, source, after(outcome))
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

  return {
    ...progress,
    exportBatch: async (accountId, afterId, limit) => {
      const input = { accountId, afterId: afterId ?? lowestId, limit }
      const rows = await db.query(selectNext, input)
      return rows.map((row) => ({
        ...toVersionedUser(row),
        passwordHash: row.password_hash,
        emailVerifiedAt: row.verified_at,
      }))
    },
    importBatch: async (accountId, batch) => {
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
    },
    findTaken: async (accountId, { emails, ids }) => {
      const byEmail = { accountId, emails: JSON.stringify(emails) }
      const byId = { accountId, ids: toIdsJson(ids) }
      return [
        ...(await db.query(lookUps.emailsTaken, byEmail)),
        ...(ids.length === 0 ? [] : await db.query(lookUps.idsTaken, byId)),
      ]
    },
  }
}

/** Whether an import changes anything about an existing user. */
function isTouched({ hasChanged, newRoles, verification }: PlannedUser): boolean {
  return hasChanged || newRoles !== undefined || verification !== undefined
}

function toWritten({ changed, isNew, ...user }: PlannedUser): WrittenUser {
  return { isNew, changed: [...changed], user: mapFields(userFieldNames, (name) => user[name]) }
}

function byId(left: WrittenUser, right: WrittenUser): number {
  return left.user.id < right.user.id ? -1 : 1
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

function namesOf(items: readonly { user: ImportedUser }[]): { emails: string[]; ids: string[] } {
  return {
    emails: items.map(({ user }) => user.email),
    ids: items.flatMap(({ user }) => (user.namesId ? [user.id] : [])),
  }
}

/** Rolls back a batch that is stored whole or not at all. */
class LeftOut extends Rollback {
  readonly outcome: ImportOutcome

  constructor(outcome: ImportOutcome) {
    super('Records were left out.')
    this.outcome = outcome
  }
}

/** Rolls back a batch because another process created one of its users meanwhile. */
class Overtaken extends Rollback {}
