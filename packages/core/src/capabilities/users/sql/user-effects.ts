import { sql } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import { changedBy, type Effect } from '../../../sql/effects.ts'

/** The effects of a user's change in other tables, for the user in the table `changed`. */
export function createUserEffects(db: Db) {
  const { features } = db
  /** A parameter instead of a column: so a distributed database knows where the rows are. */
  const accountId = (value: ParameterOf<{ accountId: string }>) =>
    db.typed(value('accountId'), 'id').as('account_id')

  const addRoles: Effect<{ accountId: string; id: string; roles: string }> = (queries, value) =>
    queries
      .insertInto('clientele_user_roles')
      .columns(['account_id', 'role', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(['changed', features.textsOfJsonArray(value('roles')).as('r')])
          .select([accountId(value), 'r.value as role', 'changed.id as user_id'])
          // Without a WHERE SQLite would parse ON CONFLICT as the ON of a join.
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) => conflict.doNothing())

  const addWords: Effect<{ accountId: string; id: string; words: string }> = (queries, value) =>
    queries
      .insertInto('clientele_user_words')
      .columns(['account_id', 'word', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(['changed', features.textsOfJsonArray(value('words')).as('r')])
          .select([accountId(value), 'r.value as word', 'changed.id as user_id'])
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) => conflict.doNothing())

  const dropOtherWords: Effect<{ accountId: string; id: string; words: string }> = (
    queries,
    value,
  ) =>
    queries
      .deleteFrom('clientele_user_words')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))
      .where('word', 'not in', (of) =>
        of.selectFrom(features.textsOfJsonArray(value('words')).as('r')).select('r.value'),
      )

  const dropOtherRoles: Effect<{ accountId: string; id: string; roles: string }> = (
    queries,
    value,
  ) =>
    queries
      .deleteFrom('clientele_user_roles')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))
      .where('role', 'not in', (of) =>
        of.selectFrom(features.textsOfJsonArray(value('roles')).as('r')).select('r.value'),
      )

  /** Stores the address that a change takes from the user as a former one. */
  const noteFormerEmail: Effect<{ accountId: string; formerEmail: string | null }> = (
    queries,
    value,
  ) =>
    queries
      .insertInto('clientele_former_emails')
      .columns(['account_id', 'user_id', 'email'])
      .expression((of) =>
        of
          .selectFrom('changed')
          .select([
            accountId(value),
            'changed.id as user_id',
            db.typed(value('formerEmail'), 'sortedText').$notNull().as('email'),
          ])
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) => conflict.doNothing())

  /** An address that was given up must be verified again: another user may have had it meanwhile. */
  const dropVerified: Effect<{ accountId: string; email: string }> = (queries, value) =>
    queries
      .deleteFrom('clientele_verified_emails')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))
      .where('email', '<>', value('email'))

  /** A token that was mailed to a former address must not work if the user takes that address back. */
  const dropMailed: Effect<{ accountId: string; email: string }> = (queries, value) =>
    queries
      .deleteFrom('clientele_email_tokens')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))
      .where('email', '!=', value('email'))

  /** Another address by the caller's own word ends changes that the user began, and the tokens that take them back. */
  const dropEmailChanges: Effect<{ accountId: string }> = (queries, value) =>
    queries
      .deleteFrom('clientele_email_changes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', changedBy(db), (of) => of.selectFrom('changed').select('id'))

  function noteCount(delta: 1 | -1): Effect<{ accountId: string }> {
    return (queries, value) =>
      queries
        .insertInto('clientele_user_count_deltas')
        .columns(['account_id', 'user_id', 'delta'])
        .expression((of) =>
          of.selectFrom('changed').select([accountId(value), 'id', sql.lit(delta).as('delta')]),
        )
  }

  return {
    addRoles,
    dropOtherRoles,
    addWords,
    dropOtherWords,
    noteFormerEmail,
    dropVerified,
    dropMailed,
    dropEmailChanges,
    noteCount,
  }
}
