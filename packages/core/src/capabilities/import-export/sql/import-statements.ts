import { type Expression, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { ColumnKind } from '../../../sql/dialect-features.ts'
import { recordsFrom } from '../../../sql/records-from.ts'
import { effectStatements } from '../../../sql/write-with-effects.ts'
import {
  columnOf,
  type UserColumns,
  type UserFieldName,
  type UserFields,
  userFieldNames,
  userFields,
} from '../../../user-model/fields.ts'
import { revokeCredentials } from '../../users/sql/revoke-credentials.ts'

/** A user as the statement of a batch receives it. */
export interface UserRecord extends UserColumns {
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
 * The statements of an import's batch: each writes all of its users. Lists are passed as JSON. These are not
 * `writeWithEffects`: its change identifies one row by the input, but here each user has values of its own. The effects
 * of a new password are the same list.
 */
export function createImportStatements(db: Db) {
  const { features, typed } = bound(db)
  /** A column of a record as stored: JSON is passed as text. */
  const stored = <Column extends (typeof storedColumns)[number]>(column: Column) => {
    const value = sql.ref<UserRecord[Column]>(`r.${column}`)
    return jsonColumns.has(column) ? typed(value, 'json') : value
  }
  /** The ids of the users in a list. */
  const idsIn = (users: Expression<string>) =>
    features.recordsOfJsonArray<{ user_id: string }>(users, { user_id: 'id' }).as('r')
  // The row is found by its id.
  const changes = Object.fromEntries(
    storedColumns.filter((column) => column !== 'id').map((column) => [column, stored(column)]),
  )
  const insertUsers = db.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .columns(['account_id', ...storedColumns, 'version', 'tokens_not_before'])
        .expression((of) =>
          of
            .selectFrom(
              features.recordsOfJsonArray<UserRecord>(value('users'), recordKinds).as('r'),
            )
            .select((row) => [
              typed(value('accountId'), 'id').as('account_id'),
              ...storedColumns.map((column) => stored(column).as(column)),
              row.lit(1).as('version'),
              typed(value('at'), 'time').as('tokens_not_before'),
            ])
            // Without a WHERE SQLite would parse ON CONFLICT as the ON of a join.
            .where('r.id', 'is not', null)
            .orderBy('r.id'),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
  )
  const updateUsers = db.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      recordsFrom(
        queries,
        features.recordsOfJsonArray<UserRecord>(value('users'), recordKinds).as('r'),
      )
        .updateTable('clientele_users as u')
        .from('r')
        .set((of) => ({
          ...changes,
          version: of('u.version', '+', 1),
          tokens_not_before: of
            .case()
            .when('r.ends_tokens', '=', true)
            .then(typed(value('at'), 'time'))
            .else(of.ref('u.tokens_not_before'))
            .end(),
        }))
        .where('u.account_id', '=', value('accountId'))
        .where((of) => features.isAmong(of.ref('u.id'), of.selectFrom('r').select('r.id')))
        .whereRef('u.id', '=', 'r.id'),
  )
  const insertRoles = db.statement<{ accountId: string; roles: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_roles')
      .columns(['account_id', 'role', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ role: string; user_id: string }>(value('roles'), {
                role: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([typed(value('accountId'), 'id').as('account_id'), 'r.role', 'r.user_id']),
      ),
  )
  const insertWords = db.statement<{ accountId: string; words: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_words')
      .columns(['account_id', 'word', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ word: string; user_id: string }>(value('words'), {
                word: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([typed(value('accountId'), 'id').as('account_id'), 'r.word', 'r.user_id']),
      ),
  )
  const insertFormer = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .insertInto('clientele_former_emails')
      .columns(['account_id', 'user_id', 'email'])
      .expression((of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ user_id: string; email: string }>(value('emails'), {
                user_id: 'id',
                email: 'sortedText',
              })
              .as('r'),
          )
          .select([typed(value('accountId'), 'id').as('account_id'), 'r.user_id', 'r.email'])
          .where('r.user_id', 'is not', null),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  const insertDeltas = db.statement<{ accountId: string; deltas: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_count_deltas')
      .columns(['account_id', 'user_id', 'delta'])
      .expression((of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ user_id: string; delta: number }>(value('deltas'), {
                user_id: 'id',
                delta: 'counter',
              })
              .as('r'),
          )
          .select([typed(value('accountId'), 'id').as('account_id'), 'r.user_id', 'r.delta']),
      ),
  )
  const takeDeltas = db.statement<{ accountId: string; users: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_user_count_deltas')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        features.isAmong(
          of.ref('user_id'),
          of.selectFrom(idsIn(value('users'))).select('r.user_id'),
        ),
      )
      .returning(['user_id', 'delta']),
  )
  const insertVerified = db.statement<{ accountId: string; users: string }>()((queries, value) =>
    queries
      .insertInto('clientele_verified_emails')
      .columns(['account_id', 'user_id', 'email', 'verified_at'])
      .expression((of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ user_id: string; email: string; verified_at: number }>(
                value('users'),
                { user_id: 'id', email: 'text', verified_at: 'time' },
              )
              .as('r'),
          )
          .select([
            typed(value('accountId'), 'id').as('account_id'),
            'r.user_id',
            'r.email',
            'r.verified_at',
          ])
          .where('r.user_id', 'is not', null),
      )
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'user_id']).doUpdateSet((of) => ({
          email: of.ref('excluded.email'),
          verified_at: of.ref('excluded.verified_at'),
        })),
      ),
  )
  const deleteOf = (
    table: 'clientele_user_roles' | 'clientele_user_words' | 'clientele_verified_emails',
  ) =>
    db.statement<{ accountId: string; users: string }>()((queries, value) =>
      queries
        .deleteFrom(table)
        .where('account_id', '=', value('accountId'))
        .where((of) =>
          features.isAmong(
            of.ref('user_id'),
            of.selectFrom(idsIn(value('users'))).select('r.user_id'),
          ),
        ),
    )
  const revoke = effectStatements<{ accountId: string; users: string; keepSessionId: null }>(
    db,
    (queries, value) =>
      queries
        .selectFrom(idsIn(value('users')))
        .select([typed(value('accountId'), 'id').as('account_id'), 'r.user_id as id']),
    revokeCredentials(db),
  )
  return {
    insertUsers,
    updateUsers,
    insertRoles,
    insertWords,
    insertFormer,
    insertDeltas,
    takeDeltas,
    insertVerified,
    deleteRoles: deleteOf('clientele_user_roles'),
    deleteWords: deleteOf('clientele_user_words'),
    deleteVerified: deleteOf('clientele_verified_emails'),
    revoke,
    revokesMany: features.supportsWritableCte,
  }
}

function bound(db: Db) {
  return { features: db.features, typed: db.typed.bind(db) }
}
