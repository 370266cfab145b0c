import type { Expression } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { type Effect, effectStatements } from '../../../sql/effects.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { searchWordsOf } from '../../../user-model/search-key.ts'
import { endUserTokens } from '../../users/sql/end-user-tokens.ts'
import {
  endChallenges,
  endSignInCodes,
  revokeCredentials,
} from '../../users/sql/revoke-credentials.ts'
import type { PlannedUser } from '../planned-user.ts'

export type UserParts = ReturnType<typeof createUserParts>

/** Writes the rows of imported users in other tables, for all users at once. */
export function createUserParts(db: Db) {
  return {
    roles: createRoleWrites(db),
    words: createWordWrites(db),
    noteFormerEmails: createNoteFormerEmails(db),
    dropMailed: createDropMailed(db),
    verify: createVerify(db),
    revoke: createEnd(db, revokeCredentials(db)),
    endOwnTokens: createEnd(db, [endUserTokens(db, { unlessActive: false })]),
  }
}

function createRoleWrites(db: Db) {
  const insertRoles = db.statement<{ accountId: string; roles: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_roles')
      .columns(['account_id', 'role', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ role: string; user_id: string }>(value('roles'), {
                role: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.role', 'r.user_id']),
      ),
  )
  const deleteRoles = createDeleteOf(db, 'clientele_user_roles')

  function* insert(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const roles = users.flatMap(({ id, newRoles = [] }) =>
      newRoles.map((role) => ({ role, user_id: id })),
    )
    if (roles.length > 0) yield* run(insertRoles, { accountId, roles: JSON.stringify(roles) })
  }

  function* replace(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    yield* run(deleteRoles, { accountId, users: idsOf(users) })
    yield* insert(accountId, users)
  }

  return { insert, replace }
}

function createWordWrites(db: Db) {
  const insertWords = db.statement<{ accountId: string; words: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_words')
      .columns(['account_id', 'word', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ word: string; user_id: string }>(value('words'), {
                word: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.word', 'r.user_id']),
      ),
  )
  const deleteWords = createDeleteOf(db, 'clientele_user_words')

  function* insert(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const words = users.flatMap((user) =>
      searchWordsOf(user).map((word) => ({ word, user_id: user.id })),
    )
    if (words.length > 0) yield* run(insertWords, { accountId, words: JSON.stringify(words) })
  }

  function* replace(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    yield* run(deleteWords, { accountId, users: idsOf(users) })
    yield* insert(accountId, users)
  }

  return { insert, replace }
}

/** The addresses are needed by an erasure. */
function createNoteFormerEmails(db: Db) {
  const insertFormer = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .insertInto('clientele_former_emails')
      .columns(['account_id', 'user_id', 'email'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ user_id: string; email: string }>(value('emails'), {
                user_id: 'id',
                email: 'sortedText',
              })
              .as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.user_id', 'r.email'])
          .where('r.user_id', 'is not', null),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )

  return function* noteFormerEmails(
    accountId: string,
    users: readonly PlannedUser[],
  ): Transaction<void> {
    const emails = users.flatMap(({ id: user_id, formerEmails }) =>
      formerEmails.map((email) => ({ user_id, email })),
    )
    if (emails.length > 0) yield* run(insertFormer, { accountId, emails: JSON.stringify(emails) })
  }
}

/** What was mailed to a former address must not work if the user takes that address back, nor a sign-in that it began. */
function createDropMailed(db: Db) {
  const deleteMailed = createDeleteOf(db, 'clientele_email_tokens')
  const deleteChanges = createDeleteOf(db, 'clientele_email_changes')
  const endSignIns = createEnd(db, [endSignInCodes(db), endChallenges(db)])

  return function* dropMailed(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const moved = users.filter(({ formerEmails }) => formerEmails.length > 0)
    if (moved.length === 0) return
    yield* run(deleteMailed, { accountId, users: idsOf(moved) })
    yield* run(deleteChanges, { accountId, users: idsOf(moved) })
    yield* endSignIns(accountId, moved)
  }
}

function createVerify(db: Db) {
  const deleteVerified = createDeleteOf(db, 'clientele_verified_emails')
  const insertVerified = db.statement<{ accountId: string; users: string }>()((queries, value) =>
    queries
      .insertInto('clientele_verified_emails')
      .columns(['account_id', 'user_id', 'email', 'verified_at'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ user_id: string; email: string; verified_at: number }>(
                value('users'),
                { user_id: 'id', email: 'text', verified_at: 'time' },
              )
              .as('r'),
          )
          .select([
            db.typed(value('accountId'), 'id').as('account_id'),
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

  return function* verify(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    const unverified = users.filter(({ verification }) => verification === null)
    if (unverified.length > 0) yield* run(deleteVerified, { accountId, users: idsOf(unverified) })
    const verified = users.flatMap(({ id: user_id, email, verification: verified_at }) =>
      typeof verified_at === 'number' ? [{ user_id, email, verified_at }] : [],
    )
    if (verified.length > 0)
      yield* run(insertVerified, { accountId, users: JSON.stringify(verified) })
  }
}

interface EndingValues {
  accountId: string
  users: string
  keepSessionId: null
}

function createEnd(db: Db, effects: readonly Effect<EndingValues>[]) {
  const statements = effectStatements<EndingValues>(
    db,
    (queries, value) =>
      queries
        .selectFrom(idsIn(db, value('users')))
        .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.user_id as id']),
    effects,
  )

  return function* end(accountId: string, users: readonly PlannedUser[]): Transaction<void> {
    for (const part of db.features.supportsWritableCte ? [users] : users.map((user) => [user])) {
      const input = { accountId, users: idsOf(part), keepSessionId: null }
      for (const statement of statements) yield* run(statement, input)
    }
  }
}

function createDeleteOf(
  db: Db,
  table:
    | 'clientele_user_roles'
    | 'clientele_user_words'
    | 'clientele_verified_emails'
    | 'clientele_email_tokens'
    | 'clientele_email_changes',
) {
  return db.statement<{ accountId: string; users: string }>()((queries, value) =>
    queries
      .deleteFrom(table)
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('user_id'),
          of.selectFrom(idsIn(db, value('users'))).select('r.user_id'),
        ),
      ),
  )
}

/** The ids of the users in a list, which `idsOf` writes. */
export function idsIn(db: Db, users: Expression<string>) {
  return db.features.recordsOfJsonArray<{ user_id: string }>(users, { user_id: 'id' }).as('r')
}

function idsOf(users: readonly PlannedUser[]): string {
  return JSON.stringify(users.map(({ id }) => ({ user_id: id })))
}
