import { type Db, run, type Transaction } from '../../../sql/db.ts'
import { columnOf, type UserColumns, userFieldNames } from '../../../user-model/fields.ts'
import { searchWordsOf, toSearchKey } from '../../../user-model/search-key.ts'
import type { PlannedUser } from './import-plan.ts'
import { createImportStatements, type UserRecord } from './import-statements.ts'

/** Stores planned users, with one statement for all of them per table. */
export class ImportWrites {
  readonly #statements: ReturnType<typeof createImportStatements>

  constructor(db: Db) {
    this.#statements = createImportStatements(db)
  }

  /** Returns the ids of the stored users: those with a free e-mail and id. */
  *insert(accountId: string, users: readonly PlannedUser[], at: number): Transaction<Set<string>> {
    const statements = this.#statements
    const input = { accountId, users: JSON.stringify(users.map(toRecord)), at }
    const rows = yield* run(statements.insertUsers, input)
    const stored = new Set(rows.map((row) => row.id))
    const made = users.filter(({ id }) => stored.has(id))
    yield* this.#insertRoles(accountId, made)
    yield* this.#insertWords(accountId, made)
    yield* this.#noteFormerEmails(accountId, made)
    yield* this.#verify(accountId, made)
    return stored
  }

  /**
   * Counts new users; the counts are folded later. A user who was deleted a moment ago and is created again under the
   * same id has a count already.
   */
  *count(accountId: string, ids: Iterable<string>): Transaction<void> {
    const sums = new Map([...ids].map((id) => [id, 1]))
    if (sums.size === 0) return
    const users = JSON.stringify([...sums.keys()].map((user_id) => ({ user_id })))
    for (const { user_id, delta } of yield* run(this.#statements.takeDeltas, { accountId, users }))
      sums.set(user_id, (sums.get(user_id) ?? 0) + delta)
    const deltas = [...sums].flatMap(([user_id, delta]) =>
      delta === 0 ? [] : [{ user_id, delta }],
    )
    if (deltas.length > 0)
      yield* run(this.#statements.insertDeltas, { accountId, deltas: JSON.stringify(deltas) })
  }

  *update(accountId: string, users: readonly PlannedUser[], at: number): Transaction<void> {
    const statements = this.#statements
    const changed = users.filter(({ hasChanged }) => hasChanged)
    if (changed.length > 0) {
      const input = { accountId, users: JSON.stringify(changed.map(toRecord)), at }
      yield* run(statements.updateUsers, input)
      yield* run(statements.deleteWords, { accountId, users: idsOf(changed) })
      yield* this.#insertWords(accountId, changed)
    }
    const regrouped = users.filter(({ newRoles }) => newRoles !== undefined)
    if (regrouped.length > 0) {
      yield* run(statements.deleteRoles, { accountId, users: idsOf(regrouped) })
      yield* this.#insertRoles(accountId, regrouped)
    }
    const shutOut = users.filter(({ endsSessions }) => endsSessions)
    if (shutOut.length > 0) {
      for (const part of statements.revokesMany ? [shutOut] : shutOut.map((user) => [user])) {
        const input = { accountId, users: idsOf(part), keepSessionId: null }
        for (const statement of statements.revoke) yield* run(statement, input)
      }
    }
    yield* this.#noteFormerEmails(accountId, users)
    yield* this.#verify(accountId, users)
  }

  *#insertRoles(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const roles = users.flatMap(({ id, newRoles = [] }) =>
      newRoles.map((role) => ({ role, user_id: id })),
    )
    if (roles.length > 0)
      yield* run(this.#statements.insertRoles, { accountId, roles: JSON.stringify(roles) })
  }

  *#insertWords(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const words = users.flatMap((user) =>
      searchWordsOf(user).map((word) => ({ word, user_id: user.id })),
    )
    if (words.length > 0)
      yield* run(this.#statements.insertWords, { accountId, words: JSON.stringify(words) })
  }

  /** The addresses are needed by an erasure. */
  *#noteFormerEmails(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const emails = users.flatMap(({ id: user_id, formerEmails }) =>
      formerEmails.map((email) => ({ user_id, email })),
    )
    if (emails.length > 0)
      yield* run(this.#statements.insertFormer, { accountId, emails: JSON.stringify(emails) })
  }

  *#verify(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const unverified = users.filter(({ verification }) => verification === null)
    if (unverified.length > 0)
      yield* run(this.#statements.deleteVerified, { accountId, users: idsOf(unverified) })
    const verified = users.flatMap(({ id: user_id, email, verification: verified_at }) =>
      typeof verified_at === 'number' ? [{ user_id, email, verified_at }] : [],
    )
    if (verified.length > 0)
      yield* run(this.#statements.insertVerified, { accountId, users: JSON.stringify(verified) })
  }
}

function idsOf(users: readonly PlannedUser[]): string {
  return JSON.stringify(users.map(({ id }) => ({ user_id: id })))
}

function toRecord(user: PlannedUser): UserRecord {
  const columns = Object.fromEntries(userFieldNames.map((name) => [columnOf(name), user[name]]))
  return {
    ...(columns as unknown as UserColumns), // one per field
    name_key: toSearchKey(user.name),
    password_hash: user.passwordHash,
    ends_tokens: user.endsTokens,
  }
}
