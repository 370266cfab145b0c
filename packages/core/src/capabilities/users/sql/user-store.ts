import { sql } from 'kysely'
import { maxSetBackMs } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { mapFields, userFieldNames } from '../../../user-model/fields.ts'
import type { StoredUser, VersionedUser } from '../../../user-model/stored-user.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { createReplyKeeper, type ReplyKeeper } from '../../idempotency/sql/reply-keeper.ts'
import type { KeptAnswer } from '../../idempotency/store.ts'
import type { UserCounts } from '../counts/sql/user-counts.ts'
import type { NewUserRecord, UserKey, UserStore } from '../store.ts'
import { createInsertUser, toInsertedUser } from './insert-user.ts'
import { createReleaseCodes } from './release-codes.ts'
import { revokeCredentials } from './revoke-credentials.ts'
import { createDeleteSurplusEmails } from './surplus-emails.ts'
import { createUserEffects } from './user-effects.ts'
import { createUserListQueries } from './user-list-queries.ts'
import { createUserLookUps } from './user-look-ups.ts'
import { createUserReplacements } from './user-replacements.ts'
import { toVersionedUser } from './user-rows.ts'
import { hasVersion, writtenUserColumns, writtenUserKinds } from './user-values.ts'

export function createUserStore(db: Db, counts: UserCounts): UserStore {
  const lookUps = createUserLookUps(db)
  const replies = createReplyKeeper(db)

  return {
    create: createUser(db, counts, replies),
    ...lookUps,
    ...createUserReplacements(db, lookUps),
    ...createUserListQueries(db, counts),
    setActive: setActive(db, replies),
    delete: deleteUser(db, counts, lookUps),
    deleteFirst: deleteFirstUsers(db, counts),
    recount: (accountId) => counts.rebuild(accountId),
    rehashPassword: rehashPassword(db),
    correctTokensNotBefore: correctTokensNotBefore(db),
  }
}

function createUser(db: Db, counts: UserCounts, replies: ReplyKeeper): UserStore['create'] {
  const insertUser = createInsertUser(db)

  return async (accountId, user, event, reply) => {
    const input = toInsertedUser(accountId, user, event)
    try {
      const created =
        reply === undefined
          ? await insertUser.execute(input)
          : await replies.execute(insertUser, input, reply, () => toAnswer(toFirstVersion(user)))
      if (created === undefined) return 'email_taken'
      counts.foldSometimes(accountId, user.id)
      return 'created'
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
        return 'account_not_found'
      throw error
    }
  }
}

function setActive(db: Db, replies: ReplyKeeper): UserStore['setActive'] {
  const activateUser = writeWithEffects<
    UserKey & { at: number; expectedVersion: number | null } & EventValues
  >(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set((of) => ({ is_active: true, updated_at: value('at'), version: of('version', '+', 1) }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .where('is_active', '=', sql.lit(false))
        .where(hasVersion(value('expectedVersion')))
        .returning(writtenUserColumns),
    [recordEvent(db, { person: 'changed' })],
    { columns: writtenUserKinds },
  )
  const deactivateUser = writeWithEffects<
    UserKey & { at: number; keepSessionId: null } & EventValues
  >(db)(
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
        .where('id', '=', value('userId'))
        .where('is_active', '=', sql.lit(true))
        .returning(writtenUserColumns),
    [...revokeCredentials(db), recordEvent(db, { person: 'changed' })],
    { seesLatest: true, columns: writtenUserKinds },
  )

  return async (accountId, userId, isActive, at, event, reply, expectedVersion = null) => {
    const write = isActive ? activateUser : deactivateUser
    const parts = { expectedVersion, keepSessionId: null }
    const input = { ...eventValues(event), accountId, userId, at, ...parts }
    const row =
      reply === undefined
        ? await write.execute(input)
        : await replies.execute(write, input, reply, (each) => toAnswer(toVersionedUser(each)))
    return row && toVersionedUser(row)
  }
}

function deleteUser(
  db: Db,
  counts: UserCounts,
  lookUps: Pick<UserStore, 'find'>,
): UserStore['delete'] {
  const remove = writeWithEffects<UserKey & { expectedVersion: number | null } & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_users')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .where(hasVersion(value('expectedVersion')))
        .returning(writtenUserColumns),
    [createUserEffects(db).noteCount(-1), recordEvent(db, { person: 'changed' })],
    { columns: writtenUserKinds },
  )
  async function whyUnchanged(accountId: string, userId: string) {
    return (await lookUps.find(accountId, userId)) === undefined
      ? 'user_not_found'
      : 'precondition_failed'
  }

  const deleteSurplusEmails = createDeleteSurplusEmails(db)
  const releaseCodes = createReleaseCodes(db)

  return async (accountId, userId, expectedVersion, eventOf) => {
    const user = { accountId, userId, expectedVersion }
    await deleteSurplusEmails(user)
    const outcome = await db.transact(function* () {
      yield* run(releaseCodes, user)
      const event = eventOf()
      const [row] = yield* remove.run({ ...eventValues(event), ...user })
      return row && { deleted: toVersionedUser(row), event }
    })
    if (outcome === undefined) return whyUnchanged(accountId, userId)
    counts.foldSometimes(accountId, userId)
    return outcome
  }
}

function deleteFirstUsers(db: Db, counts: UserCounts): UserStore['deleteFirst'] {
  const deleteUsers = db.statement<{ accountId: string; limit: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_users')
      .where('account_id', '=', value('accountId'))
      .where('id', 'in', (of) =>
        of
          .selectFrom('clientele_users as u')
          .select('u.id')
          .where('u.account_id', '=', value('accountId'))
          .orderBy('u.id')
          .limit(value('limit')),
      )
      .returning('id'),
  )

  return (accountId, limit) =>
    db.transact(
      function* (): Transaction<number> {
        const rows = yield* run(deleteUsers, { accountId, limit })
        const ids = rows.map((row) => row.id)
        yield* counts.add(accountId, ids, -1)
        return ids.length
      },
      { snapshot: true },
    )
}

function rehashPassword(db: Db): UserStore['rehashPassword'] {
  const rehash = db.statement<UserKey & { oldHash: string; newHash: string }>()((queries, value) =>
    queries
      .updateTable('clientele_users')
      .set({ password_hash: value('newHash') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .where('password_hash', '=', value('oldHash'))
      .returning('id'),
  )

  return async (accountId, userId, oldHash, newHash) =>
    (await db.queryOne(rehash, { accountId, userId, oldHash, newHash })) !== undefined
}

function correctTokensNotBefore(db: Db): UserStore['correctTokensNotBefore'] {
  const correct = db.statement<UserKey & { now: number; latest: number }>()((queries, value) =>
    queries
      .updateTable('clientele_users')
      .set({ tokens_not_before: value('now') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .where('tokens_not_before', '>', value('latest')),
  )

  return async (accountId, userId, now) => {
    await db.query(correct, { accountId, userId, now, latest: now + maxSetBackMs })
  }
}

function toFirstVersion(record: NewUserRecord): VersionedUser {
  // Without the password's hash
  return {
    user: mapFields<keyof StoredUser, StoredUser>(userFieldNames, (name) => record[name]),
    version: 1,
  }
}

function toAnswer(answer: VersionedUser): KeptAnswer {
  return { userId: answer.user.id, answer }
}
