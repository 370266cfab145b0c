import { type Expression, sql } from 'kysely'
import { toSearchKey } from '../domain/page.ts'
import type { UserRepository } from '../repository.ts'
import { CombinedWrite } from './combined-write.ts'
import { ConstraintViolation, type Database, type ParameterOf, type Queries } from './database.ts'
import { returnedUserColumns, toVersionedUser, type VisibleUserRow } from './rows.ts'
import type { UserCounts } from './user-counts.ts'
import { createUserFollowUps } from './user-follow-ups.ts'
import { createUserLookUps, type UserKey } from './user-look-ups.ts'

interface UserValues extends UserKey {
  email: string
  name: string
  nameKey: string
  roles: string
  metadata: string
}
interface ReplaceValues extends UserValues {
  /** Null: it stays; so does the password */
  isActive: boolean | null
  passwordHash: string | null
  updatedAt: number
  keepSessionId: string | null
  expectedVersion: number | null
}

const returned = ['account_id', ...returnedUserColumns] as const

export function createUserQueries(
  database: Database,
  counts: UserCounts,
): Omit<UserRepository, 'listUsers' | 'recountUsers'> {
  const lookUps = createUserLookUps(database)

  const {
    addRoles,
    dropOtherRoles,
    endSessions,
    endOtherSessions,
    endResets,
    endChallenges,
    noteCount,
  } = createUserFollowUps(database)

  const insertUser = new CombinedWrite<
    UserValues & { passwordHash: string | null; isActive: boolean; createdAt: number },
    UserKeyRow
  >(
    database,
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .values({
          account_id: value('accountId'),
          id: value('id'),
          email: value('email'),
          name: value('name'),
          name_key: value('nameKey'),
          roles: value('roles'),
          metadata: value('metadata'),
          is_active: value('isActive'),
          password_hash: value('passwordHash'),
          created_at: value('createdAt'),
          updated_at: value('createdAt'),
          version: 1,
          tokens_not_before: value('createdAt'),
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .returning(['account_id', 'id']),
    [addRoles, noteCount(1)],
  )

  function hasVersion(expected: Expression<number | null>) {
    return sql<boolean>`version = coalesce(cast(${expected} as bigint), version)`
  }
  function updateUser(queries: Queries, value: ParameterOf<ReplaceValues>) {
    return queries
      .updateTable('clientele_users')
      .set((of) => ({
        email: value('email'),
        name: value('name'),
        name_key: value('nameKey'),
        roles: value('roles'),
        metadata: value('metadata'),
        is_active: of.fn.coalesce(database.typed(value('isActive'), 'flag'), 'is_active'),
        updated_at: value('updatedAt'),
        version: of('version', '+', 1),
      }))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where(hasVersion(value('expectedVersion')))
      .returning(returned)
  }
  function updateProfile(queries: Queries, value: ParameterOf<ReplaceValues>) {
    return updateUser(queries, value).set((of) => ({
      // Tokens of other issuers that name the address must not follow it to another user.
      tokens_not_before: of
        .case()
        .when('email', '=', value('email'))
        .then(of.ref('tokens_not_before'))
        .else(database.typed(value('updatedAt'), 'time'))
        .end(),
    }))
  }
  // With an expected version nobody can have changed the roles since the statement began.
  const replaceExpectedProfile = new CombinedWrite<ReplaceValues, VisibleUserRow>(
    database,
    (queries, value) => updateProfile(queries as Queries, value),
    [dropOtherRoles, addRoles],
  )
  const replaceProfile = new CombinedWrite<ReplaceValues, VisibleUserRow>(
    database,
    (queries, value) => updateProfile(queries as Queries, value),
    [dropOtherRoles, addRoles],
    { seesLatest: true },
  )
  const replaceAndDeactivate = new CombinedWrite<ReplaceValues, VisibleUserRow>(
    database,
    (queries, value) =>
      updateUser(queries as Queries, value).set((of) => ({
        password_hash: of.fn.coalesce(
          database.typed(value('passwordHash'), 'text'),
          'password_hash',
        ),
        tokens_not_before: value('updatedAt'),
      })),
    [dropOtherRoles, addRoles, endSessions, endResets, endChallenges],
    { seesLatest: true },
  )
  const replaceProfileAndPassword = new CombinedWrite<ReplaceValues, VisibleUserRow>(
    database,
    (queries, value) =>
      updateUser(queries as Queries, value).set({
        password_hash: value('passwordHash'),
        tokens_not_before: value('updatedAt'),
      }),
    [dropOtherRoles, addRoles, endOtherSessions, endResets, endChallenges],
    { seesLatest: true },
  )

  const activateUser = database.statement<UserKey & { at: number }>()((queries, value) =>
    queries
      .updateTable('clientele_users')
      .set((of) => ({ is_active: true, updated_at: value('at'), version: of('version', '+', 1) }))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .returning(returned),
  )
  const deactivateUser = new CombinedWrite<UserKey & { at: number }, VisibleUserRow>(
    database,
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set((of) => ({
          is_active: false,
          updated_at: value('at'),
          tokens_not_before: value('at'),
          version: of('version', '+', 1),
        }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .returning(returned),
    [endSessions, endResets, endChallenges],
    { seesLatest: true },
  )
  const deleteUser = new CombinedWrite<
    UserKey & { expectedVersion: number | null },
    VisibleUserRow
  >(
    database,
    (queries, value) =>
      queries
        .deleteFrom('clientele_users')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where(hasVersion(value('expectedVersion')))
        .returning(returned),
    [noteCount(-1)],
  )
  const rehash = database.statement<UserKey & { oldHash: string; newHash: string }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set({ password_hash: value('newHash') })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('password_hash', '=', value('oldHash'))
        .returning('id'),
  )

  async function whyUnchanged(accountId: string, id: string) {
    return (await lookUps.findUser(accountId, id)) === undefined
      ? 'user_not_found'
      : 'precondition_failed'
  }

  return {
    createUser: async (accountId, user) => {
      try {
        const created = await insertUser.execute({ accountId, ...user, ...textsOf(user) })
        if (created === undefined) return 'email_taken'
        counts.foldSometimes(accountId, user.id)
        return 'created'
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
          return 'account_not_found'
        throw error
      }
    },
    ...lookUps,
    replaceUser: async (accountId, userId, changes, expectedVersion) => {
      const { passwordHash = null, isActive = null, updatedAt } = changes
      const writeProfile = expectedVersion === null ? replaceProfile : replaceExpectedProfile
      const writeOpen = passwordHash === null ? writeProfile : replaceProfileAndPassword
      const write = isActive === false ? replaceAndDeactivate : writeOpen
      const input = {
        accountId,
        id: userId,
        ...changes,
        ...textsOf(changes),
        isActive,
        passwordHash,
        updatedAt,
        keepSessionId: changes.keepSessionId ?? null,
        expectedVersion,
      }
      try {
        const row = await write.execute(input)
        return row === undefined ? whyUnchanged(accountId, userId) : toVersionedUser(row)
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'unique') return 'email_taken'
        throw error
      }
    },
    setUserActive: async (accountId, id, isActive, at) => {
      const input = { accountId, id, at }
      const row = isActive
        ? await database.queryOne(activateUser, input)
        : await deactivateUser.execute(input)
      return row && toVersionedUser(row)
    },
    deleteUser: async (accountId, id, expectedVersion) => {
      const row = await deleteUser.execute({ accountId, id, expectedVersion })
      if (row === undefined) return whyUnchanged(accountId, id)
      counts.foldSometimes(accountId, id)
      return toVersionedUser(row)
    },
    rehashPassword: async (accountId, id, oldHash, newHash) =>
      (await database.queryOne(rehash, { accountId, id, oldHash, newHash })) !== undefined,
  }
}

interface UserKeyRow {
  account_id: string
  id: string
}

function textsOf(user: { name: string; roles: string[]; metadata: object }) {
  return {
    nameKey: toSearchKey(user.name),
    roles: JSON.stringify(user.roles),
    metadata: JSON.stringify(user.metadata),
  }
}
