import type { Db } from '../../sql/db.ts'
import { effectStatements } from '../../sql/write-with-effects.ts'
import { revokeCredentials } from '../../users/sql/revoke-credentials.ts'

/** A user as a batch's statement receives it. */
export interface UserRecord {
  id: string
  email: string
  name: string
  name_key: string
  roles: string
  metadata: string
  is_active: boolean
  password_hash: string | null
  created_at: number
  updated_at: number
  ends_tokens: boolean
}
const userColumns = {
  id: 'id',
  email: 'sortedText',
  name: 'text',
  name_key: 'sortedText',
  roles: 'text',
  metadata: 'text',
  is_active: 'flag',
  password_hash: 'text',
  created_at: 'time',
  updated_at: 'time',
  ends_tokens: 'flag',
} as const

/**
 * What an import of a batch writes: a statement for all of its users. Lists come as JSON. Nothing of it is a
 * `writeWithEffects`: a change there knows one row by its input, and here each user brings values of its own. What ends
 * with a user's password is the same list of effects.
 */
export function createImportStatements(db: Db) {
  const { features, typed } = bound(db)
  const insertUsers = db.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .columns([
          'account_id',
          'id',
          'email',
          'name',
          'name_key',
          'roles',
          'metadata',
          'is_active',
          'password_hash',
          'created_at',
          'updated_at',
          'version',
          'tokens_not_before',
        ])
        .expression((of) =>
          of
            .selectFrom(
              features.recordsOfJsonArray<UserRecord>(value('users'), userColumns).as('r'),
            )
            .select((row) => [
              typed(value('accountId'), 'id').as('account_id'),
              'r.id',
              'r.email',
              'r.name',
              'r.name_key',
              typed(row.ref('r.roles'), 'json').as('roles'),
              typed(row.ref('r.metadata'), 'json').as('metadata'),
              'r.is_active',
              'r.password_hash',
              'r.created_at',
              'r.updated_at',
              row.lit(1).as('version'),
              typed(value('at'), 'time').as('tokens_not_before'),
            ])
            // SQLite reads the ON of ON CONFLICT as a join's unless a WHERE stands between.
            .where('r.id', 'is not', null)
            .orderBy('r.id'),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
  )
  const updateUsers = db.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_users as u')
        .from(features.recordsOfJsonArray<UserRecord>(value('users'), userColumns).as('r'))
        .set((of) => ({
          email: of.ref('r.email'),
          name: of.ref('r.name'),
          name_key: of.ref('r.name_key'),
          roles: typed(of.ref('r.roles'), 'json'),
          metadata: typed(of.ref('r.metadata'), 'json'),
          is_active: of.ref('r.is_active'),
          password_hash: of.ref('r.password_hash'),
          created_at: of.ref('r.created_at'),
          updated_at: of.ref('r.updated_at'),
          version: of('u.version', '+', 1),
          tokens_not_before: of
            .case()
            .when('r.ends_tokens', '=', true)
            .then(typed(value('at'), 'time'))
            .else(of.ref('u.tokens_not_before'))
            .end(),
        }))
        .where('u.account_id', '=', value('accountId'))
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
      .where('user_id', 'in', (of) =>
        of
          .selectFrom(
            features
              .recordsOfJsonArray<{ user_id: string }>(value('users'), { user_id: 'id' })
              .as('r'),
          )
          .select('r.user_id'),
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
        .where('user_id', 'in', (of) =>
          of
            .selectFrom(
              features
                .recordsOfJsonArray<{ user_id: string }>(value('users'), { user_id: 'id' })
                .as('r'),
            )
            .select('r.user_id'),
        ),
    )
  const revoke = effectStatements<{ accountId: string; users: string; keepSessionId: null }>(
    db,
    (queries, value) =>
      queries
        .selectFrom(
          features
            .recordsOfJsonArray<{ user_id: string }>(value('users'), { user_id: 'id' })
            .as('r'),
        )
        .select([typed(value('accountId'), 'id').as('account_id'), 'r.user_id as id']),
    revokeCredentials(db),
  )
  return {
    insertUsers,
    updateUsers,
    insertRoles,
    insertWords,
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
