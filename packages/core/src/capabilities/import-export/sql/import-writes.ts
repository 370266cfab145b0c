import { sql } from 'kysely'
import { maxSetBackMs } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import type { ColumnKind } from '../../../sql/dialect-features.ts'
import { recordsFrom } from '../../../sql/records-from.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import {
  columnOf,
  type UserColumns,
  type UserFieldName,
  type UserFields,
  userFieldNames,
  userFields,
} from '../../../user-model/fields.ts'
import { toSearchKey } from '../../../user-model/search-key.ts'
import type { PlannedUser } from '../planned-user.ts'
import { createCountImported } from './count-imported.ts'
import { createUserParts, type UserParts } from './user-parts.ts'

export type ImportWrites = ReturnType<typeof createImportWrites>

/** A user as the statement of a batch receives it. */
interface UserRecord extends UserColumns {
  name_key: string
  password_hash: string | null
  ends_tokens: boolean
}

/** The columns that are stored under their own name */
const storedColumns = [...userFieldNames.map(columnOf), 'name_key', 'password_hash'] as const
/** JSON is passed as text and parsed when it is stored. */
const recordKinds = {
  ...(Object.fromEntries(
    userFieldNames.map((name) => [columnOf(name), toRecordKind(userFields[name].kind)]),
  ) as Record<keyof UserColumns, ColumnKind>), // one per field
  name_key: 'sortedText',
  password_hash: 'text',
  ends_tokens: 'flag',
} as const
const jsonColumns: ReadonlySet<string> = new Set(
  userFieldNames.filter((name) => userFields[name].kind === 'json').map(columnOf),
)

function toRecordKind(kind: UserFields[UserFieldName]['kind']): ColumnKind {
  return kind === 'json' ? 'text' : kind
}

/**
 * Stores planned users, with one statement for all of them per table. Lists are passed as JSON. These are not
 * `writeWithEffects`: its change identifies one row by the input, but here each user has values of its own. For a new
 * password it runs the same list of effects.
 */
export function createImportWrites(db: Db) {
  const parts = createUserParts(db)
  return {
    insert: createInsert(db, parts),
    update: createUpdate(db, parts),
    count: createCountImported(db),
  }
}

function createInsert(db: Db, parts: UserParts) {
  const insertUsers = db.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .columns(['account_id', ...storedColumns, 'version', 'tokens_not_before'])
        .expression((of) =>
          of
            .selectFrom(
              db.features.recordsOfJsonArray<UserRecord>(value('users'), recordKinds).as('r'),
            )
            .select((row) => [
              db.typed(value('accountId'), 'id').as('account_id'),
              ...storedColumns.map((column) => stored(db, column).as(column)),
              row.lit(1).as('version'),
              db.typed(value('at'), 'time').as('tokens_not_before'),
            ])
            // Without a WHERE SQLite would parse ON CONFLICT as the ON of a join.
            .where('r.id', 'is not', null)
            .orderBy('r.id'),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
  )

  /** Returns the ids of the stored users: those with a free e-mail and id. */
  return function* insert(
    accountId: string,
    users: readonly PlannedUser[],
    at: number,
  ): Transaction<Set<string>> {
    const input = { accountId, users: JSON.stringify(users.map(toRecord)), at }
    const rows = yield* run(insertUsers, input)
    const stored = new Set(rows.map((row) => row.id))
    const made = users.filter(({ id }) => stored.has(id))
    yield* parts.roles.insert(accountId, made)
    yield* parts.words.insert(accountId, made)
    yield* parts.noteFormerEmails(accountId, made)
    yield* parts.verify(accountId, made)
    return stored
  }
}

function createUpdate(db: Db, parts: UserParts) {
  // The row is found by its id.
  const changes = Object.fromEntries(
    storedColumns.filter((column) => column !== 'id').map((column) => [column, stored(db, column)]),
  )
  const updateUsers = db.statement<{
    accountId: string
    users: string
    at: number
    latest: number
  }>()((queries, value) =>
    recordsFrom(
      queries,
      db.features.recordsOfJsonArray<UserRecord>(value('users'), recordKinds).as('r'),
    )
      .updateTable('clientele_users as u')
      .from('r')
      .set((of) => ({
        ...changes,
        version: of('u.version', '+', 1),
        // A change that was made while the batch waited for its users has ended later tokens: they stay ended.
        tokens_not_before: of
          .case()
          .when(
            of.and([
              of('r.ends_tokens', '=', true),
              of.or([
                of('u.tokens_not_before', '<', value('at')),
                of('u.tokens_not_before', '>', value('latest')),
              ]),
            ]),
          )
          .then(db.typed(value('at'), 'time'))
          .else(of.ref('u.tokens_not_before'))
          .end(),
      }))
      .where('u.account_id', '=', value('accountId'))
      .where((of) => db.features.isAmong(of.ref('u.id'), of.selectFrom('r').select('r.id')))
      .whereRef('u.id', '=', 'r.id'),
  )

  return function* update(
    accountId: string,
    users: readonly PlannedUser[],
    at: number,
  ): Transaction<void> {
    const changed = users.filter(({ hasChanged }) => hasChanged)
    if (changed.length > 0) {
      const values = { users: JSON.stringify(changed.map(toRecord)), at }
      yield* run(updateUsers, { accountId, ...values, latest: at + maxSetBackMs })
      yield* parts.words.replace(accountId, changed)
    }
    const regrouped = users.filter(({ newRoles }) => newRoles !== undefined)
    if (regrouped.length > 0) yield* parts.roles.replace(accountId, regrouped)
    const shutOut = users.filter(({ endsSessions }) => endsSessions)
    if (shutOut.length > 0) yield* parts.revoke(accountId, shutOut)
    const switchedOff = users.filter(({ endsOwnTokens }) => endsOwnTokens)
    if (switchedOff.length > 0) yield* parts.endOwnTokens(accountId, switchedOff)
    yield* parts.noteFormerEmails(accountId, users)
    yield* parts.dropMailed(accountId, users)
    yield* parts.verify(accountId, users)
  }
}

/** A column of a record as stored: JSON is passed as text. */
function stored<Column extends (typeof storedColumns)[number]>(db: Db, column: Column) {
  const value = sql.ref<UserRecord[Column]>(`r.${column}`)
  return jsonColumns.has(column) ? db.typed(value, 'json') : value
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
