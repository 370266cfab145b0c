import type { NewEvent } from '../../events/new-event.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import { type Db, Rollback, run, type Transaction } from '../../sql/db.ts'
import { toVersionedUser, userColumns } from '../../sql/rows.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { createInsertUser, toInsertedUser } from '../../users/sql/insert-user.ts'
import { revokeCredentials } from '../../users/sql/revoke-credentials.ts'
import { byIdentity, type IdentityName, toCredentials } from '../../users/sql/user-look-ups.ts'
import { writtenUserColumns, writtenUserKinds } from '../../users/sql/user-values.ts'
import { createNoteVerified, createSelectVerified } from '../../users/sql/verified-emails.ts'
import type { UserKey } from '../../users/store.ts'
import type { IdentityStore, LinkByEmailOutcome } from '../store.ts'
import {
  createIdentityStatements,
  identityColumns,
  toIdentityRecord,
} from './identity-statements.ts'

/** The identity of a new user is another's: the user is not made either. */
class IdentityTaken extends Rollback {}

/** What signing in with an ID token does. */
export function createIdentitySignIn(
  db: Db,
  counts: UserCounts,
): Pick<IdentityStore, 'findCredentials' | 'linkByEmail' | 'createUser' | 'noteUse'> {
  const { selectIdentities, insertIdentity } = createIdentityStatements(db)
  const selectCredentials = db.statement<IdentityName>()((queries, value) =>
    byIdentity(queries, value)
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before', 'i.id as identity_id']),
  )
  const lockUser = db.statement<UserKey & { email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select('u.password_hash')
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId'))
      // The token speaks of this address.
      .where('u.email', '=', value('email'))
      .where('u.is_active', '=', true)
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const selectVerified = createSelectVerified(db)
  const noteVerified = createNoteVerified(db)
  const dropPassword = writeWithEffects<UserKey & { now: number; keepSessionId: null }>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set((of) => ({
          password_hash: null,
          tokens_not_before: value('now'),
          updated_at: value('now'),
          version: of('version', '+', 1),
        }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .returning(writtenUserColumns),
    revokeCredentials(db),
    { seesLatest: true, columns: writtenUserKinds },
  )
  const deleteOthers = db.statement<UserKey & { id: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_identities')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '<>', value('id'))
      .returning(identityColumns),
  )
  /** Whoever registered somebody else's address may have enrolled passkeys. */
  const deletePasskeys = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_passkeys')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('id'),
  )
  const insertUser = createInsertUser(db)
  const appendEvent = createAppendEvent(db)
  const updateUse = db.statement<{ accountId: string; id: string; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_identities')
        .set({ last_used_at: value('at') })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id')),
  )

  function* append(accountId: string, events: readonly NewEvent[]): Transaction<void> {
    for (const event of events) yield* run(appendEvent, { ...eventValues(event), accountId })
  }

  return {
    findCredentials: async (accountId, issuer, subject) => {
      const row = await db.queryOne(selectCredentials, { accountId, issuer, subject })
      return row && { ...toCredentials(row), identityId: row.identity_id }
    },
    linkByEmail: (accountId, { identity, email, isVerified, maximum }, events) =>
      db.transact(function* (): Transaction<LinkByEmailOutcome> {
        const { userId, id, createdAt: now } = identity
        const key = { accountId, userId }
        const [found] = yield* run(lockUser, { ...key, email })
        if (found === undefined) return 'user_not_found'
        const known = yield* run(selectVerified, key)
        const isStranger = known.length === 0
        const rows = yield* run(selectIdentities, key)
        if (!isStranger && rows.length >= maximum) return 'identity_limit_reached'
        // Two names at one issuer are two people: the address has been handed on.
        const isOther = rows.some((row) => row.issuer === identity.issuer)
        if (!isStranger && isOther) return 'identity_taken'
        const [linked] = yield* run(insertIdentity, { accountId, ...identity })
        if (linked === undefined) return 'identity_taken'
        if (!isStranger) {
          const { user } = toVersionedUser(found)
          const written = [events.linked(user, false)]
          yield* append(accountId, written)
          return { user, passwordHash: found.password_hash, events: written }
        }
        const dropped = yield* run(deleteOthers, { ...key, id })
        const passkeys = yield* run(deletePasskeys, key)
        const [changed] = yield* dropPassword.run({ ...key, now, keepSessionId: null })
        const { user } = toVersionedUser(changed ?? found)
        const written: NewEvent[] = [
          ...dropped.map((row) => events.unlinked(user, toIdentityRecord(row))),
          ...passkeys.map((row) => events.passkeyRemoved(user, row.id)),
          events.linked(user, true),
        ]
        if (isVerified) {
          yield* noteVerified.run({ ...key, email, now })
          written.push(events.verified(user))
        }
        yield* append(accountId, written)
        return { user, passwordHash: null, events: written }
      }),
    createUser: async (accountId, { user, identity, events }) => {
      const [createdEvent, ...others] = events
      try {
        const isCreated = await db.transact(function* (): Transaction<boolean> {
          const created = yield* insertUser.run(toInsertedUser(accountId, user, createdEvent))
          if (created.length === 0) return false
          const [linked] = yield* run(insertIdentity, { accountId, ...identity })
          if (linked === undefined) throw new IdentityTaken('The identity is taken.')
          const isVerified = others.some(({ type }) => type === 'user.email_verified')
          if (isVerified) {
            const { id: userId, email, createdAt: now } = user
            yield* noteVerified.run({ accountId, userId, email, now })
          }
          yield* append(accountId, others)
          return true
        })
        if (!isCreated) return 'email_taken'
      } catch (error) {
        if (error instanceof IdentityTaken) return 'identity_taken'
        throw error
      }
      counts.foldSometimes(accountId, user.id)
      return 'created'
    },
    noteUse: async (accountId, id, at) => {
      await db.query(updateUse, { accountId, id, at })
    },
  }
}
