import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation, Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { readEmailAddress } from '../../../user-model/email-address.ts'
import type { VersionedUser } from '../../../user-model/stored-user.ts'
import type { NewEvent } from '../../events/new-event.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { createAddressProof } from '../../users/sql/address-proof.ts'
import { createInsertUser, toInsertedUser } from '../../users/sql/insert-user.ts'
import { createUserLookUps } from '../../users/sql/user-look-ups.ts'
import { createPrepareReplacement } from '../../users/sql/user-replacements.ts'
import { toVersionedUser } from '../../users/sql/user-rows.ts'
import type { UserKey } from '../../users/store.ts'
import type { StoredScimNames } from '../scim-user.ts'
import type { ScimStore } from '../store.ts'
import { names as records } from './scim-names.ts'

/** Thrown by a transaction that writes names which another user has. */
class NameTaken extends Rollback {}

/** Writes users and their names, each in one transaction. */
export function createScimUserWrites(
  db: Db,
  counts: UserCounts,
): Pick<ScimStore, 'createUser' | 'replaceUser' | 'takeOverUser'> {
  const writeNames = createWriteNames(db)
  const replace = createReplace(db, writeNames)
  const { endEnrolled } = createAddressProof(db)

  return {
    createUser: createUser(db, counts, writeNames),
    replaceUser: async (...input) => {
      const outcome = await replace(input)
      return typeof outcome === 'string' ? outcome : outcome.changed
    },
    takeOverUser: async (accountId, userId, changes, expectedVersion, event, names, events) =>
      replace([accountId, userId, changes, expectedVersion, event, names], ({ user }) =>
        endEnrolled({ accountId, userId }, user, events),
      ),
  }
}

type WriteNames = (key: UserKey, names: StoredScimNames, email: string) => Transaction<void>

function createWriteNames(db: Db): WriteNames {
  const upsert = db.statement<UserKey & StoredScimNames>()((queries, value) =>
    queries
      .insertInto('clientele_scim_users')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        ...records.assign(value),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'user_id']).doUpdateSet((of) => ({
          user_name: of.ref('excluded.user_name'),
          user_name_key: of.ref('excluded.user_name_key'),
          external_id: of.ref('excluded.external_id'),
          given_name: of.ref('excluded.given_name'),
          family_name: of.ref('excluded.family_name'),
          full_name: of.ref('excluded.full_name'),
        })),
      )
      .returning('user_id'),
  )
  const selectHolder = db.statement<{ accountId: string; userNameKey: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_scim_users')
        .select('user_id')
        .where('account_id', '=', value('accountId'))
        .where('user_name_key', '=', value('userNameKey')),
  )
  const selectUnnamed = db.statement<UserKey & { email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .leftJoin('clientele_scim_users as s', (join) =>
        join.on('s.account_id', '=', value('accountId')).onRef('s.user_id', '=', 'u.id'),
      )
      .select('u.id')
      .where('u.account_id', '=', value('accountId'))
      .where('u.email', '=', value('email'))
      .where('u.id', '<>', value('userId'))
      .where('s.user_id', 'is', null),
  )

  // Whoever had a former address would take the account, with the roles that the provider gives to the person.
  const endEmailChanges = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_email_changes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('clientele_scim_users as s')
              .select('s.user_id')
              .where('s.account_id', '=', value('accountId'))
              .where('s.user_id', '=', value('userId')),
          ),
        ),
      ),
  )

  // A person may type it where an address is asked for: an erasure finds by it what failed sign-ins have left.
  const noteAddress = db.statement<UserKey & { email: string }>()((queries, value) =>
    queries
      .insertInto('clientele_former_emails')
      .values({
        account_id: value('accountId'),
        user_id: value('userId'),
        email: value('email'),
      })
      .onConflict((conflict) => conflict.doNothing()),
  )

  /** The address of a user without names is the name that others must not take. */
  function* isFree(key: UserKey, { userName, userNameKey }: StoredScimNames): Transaction<boolean> {
    const [holder] = yield* run(selectHolder, { accountId: key.accountId, userNameKey })
    if (holder !== undefined) return holder.user_id === key.userId
    const email = readEmailAddress(userName)
    if (email === undefined) return true
    return (yield* run(selectUnnamed, { ...key, email })).length === 0
  }

  return function* writeNames(key, names, email) {
    if (!(yield* isFree(key, names))) throw new NameTaken('Another user has the name.')
    yield* run(endEmailChanges, key)
    yield* run(upsert, { ...key, ...records.toValues(names) })
    const address = readEmailAddress(names.userName)
    if (address !== undefined && address !== email)
      yield* run(noteAddress, { ...key, email: address })
  }
}

function createUser(db: Db, counts: UserCounts, writeNames: WriteNames): ScimStore['createUser'] {
  const insertUser = createInsertUser(db)

  return async (accountId, user, names, event) => {
    const input = toInsertedUser(accountId, user, event)
    try {
      const isCreated = await db.transact(function* (): Transaction<boolean> {
        const rows = yield* insertUser.run(input)
        if (rows.length === 0) return false
        yield* writeNames({ accountId, userId: user.id }, names, user.email)
        return true
      })
      if (!isCreated) return 'email_taken'
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
        return 'account_not_found'
      if (isNameTaken(error)) return 'scim_user_name_taken'
      throw error
    }
    counts.foldSometimes(accountId, user.id)
    return 'created'
  }
}

interface Replaced {
  changed: VersionedUser
  /** The events about what has ended */
  ended: NewEvent[]
}

/** @returns a function that replaces a user and the names; `end` ends more in the same transaction */
function createReplace(db: Db, writeNames: WriteNames) {
  const prepare = createPrepareReplacement(db)
  const { find } = createUserLookUps(db)

  return async (
    [accountId, userId, changes, expectedVersion, event, names]: Parameters<
      ScimStore['replaceUser']
    >,
    end?: (changed: VersionedUser) => Transaction<NewEvent[]>,
  ) => {
    const { write, input } = prepare(accountId, userId, changes, expectedVersion, event)
    let isReplaced = false
    try {
      const replaced = await db.transact(function* (): Transaction<Replaced | undefined> {
        isReplaced = false
        const [row] = yield* write.run(input)
        if (row === undefined) return undefined
        isReplaced = true
        yield* writeNames({ accountId, userId }, names, changes.email)
        const changed = toVersionedUser(row)
        return { changed, ended: end === undefined ? [] : yield* end(changed) }
      })
      if (replaced !== undefined) return replaced
    } catch (error) {
      if (isNameTaken(error)) return isReplaced ? 'scim_user_name_taken' : 'email_taken'
      throw error
    }
    return (await find(accountId, userId)) === undefined ? 'user_not_found' : 'precondition_failed'
  }
}

/** Of two writers of one name at once, the second meets the unique index. */
function isNameTaken(error: unknown): boolean {
  return (
    error instanceof NameTaken || (error instanceof ConstraintViolation && error.kind === 'unique')
  )
}
