import type { Db } from '../../sql/db.ts'
import { ConstraintViolation } from '../../sql/driver.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import { eventValues } from '../events/sql/record-event.ts'
import { createReplyKeeper } from '../idempotency/sql/reply-keeper.ts'
import type { UserCounts } from '../users/counts/sql/user-counts.ts'
import { type AddressProof, createAddressProof } from '../users/sql/address-proof.ts'
import { createInsertUser, toInsertedUser } from '../users/sql/insert-user.ts'
import { createMailedTokens, type MailedTokens, validFor } from '../users/sql/mailed-tokens.ts'
import { createSetPassword } from '../users/sql/set-password.ts'
import { toVersionedUser, userColumns } from '../users/sql/user-rows.ts'
import type { UserKey } from '../users/store.ts'
import { invitationLifeSeconds } from './invitation-life.ts'
import type { InvitationStore, NewInvitation, RenewOutcome } from './store.ts'

const purpose = 'invitation'

type Accepted = Awaited<ReturnType<InvitationStore['accept']>>

/** What the methods share */
interface Parts {
  db: Db
  tokens: MailedTokens
  proof: AddressProof
}

export function createInvitationStore(db: Db, counts: UserCounts): InvitationStore {
  const parts = { db, tokens: createMailedTokens(db), proof: createAddressProof(db) }

  return {
    create: createInvited(parts, counts),
    renew: renewInvitation(parts),
    find: findInvitation(parts),
    accept: acceptInvitation(parts),
  }
}

function createInvited(
  { db, tokens, proof }: Parts,
  counts: UserCounts,
): InvitationStore['create'] {
  const insertUser = createInsertUser(db)
  const replies = createReplyKeeper(db)

  return async (accountId, user, invitation, { created, invited }, reply) => {
    const { id: userId, email } = user
    function* write(): Transaction<boolean> {
      const input = toInsertedUser(accountId, { ...user, passwordHash: null }, created)
      const rows = yield* insertUser.run(input)
      if (rows.length === 0) return false
      yield* run(tokens.insert, { accountId, ...invitation, userId, email, purpose })
      yield* proof.append(accountId, [invited])
      const answer: VersionedUser = { user, version: 1 }
      if (reply !== undefined) yield* replies.keep(accountId, reply, { userId, answer })
      return true
    }
    try {
      const isCreated = await (reply === undefined ? db.transact(write) : replies.transact(write))
      if (!isCreated) return 'email_taken'
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
        return 'account_not_found'
      throw error
    }
    counts.foldSometimes(accountId, userId)
    return 'created'
  }
}

function renewInvitation({ db, tokens, proof }: Parts): InvitationStore['renew'] {
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select('u.password_hash')
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const selectSignedIn = createSelectSignedIn(db)
  const deleteEarlier = db.statement<UserKey & { purpose: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_email_tokens')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('purpose', '=', value('purpose')),
  )

  return (accountId, userId, invitation: NewInvitation, eventOf) =>
    db.transact(function* (): Transaction<RenewOutcome> {
      const key = { accountId, userId }
      const [row] = yield* run(lockUser, key)
      if (row === undefined) return 'user_not_found'
      const { user } = toVersionedUser(row)
      if (row.password_hash !== null) return 'invitation_accepted'
      const signedIn = yield* run(selectSignedIn, key)
      if (signedIn.length > 0) return 'invitation_accepted'
      if (!user.isActive) return 'user_inactive'
      yield* run(deleteEarlier, { ...key, purpose })
      yield* run(tokens.insert, { ...key, ...invitation, email: user.email, purpose })
      const event = eventOf(user)
      yield* proof.append(accountId, [event])
      return { user, event }
    })
}

/** The user, if they have signed in: they have a session, or have used an identity or a passkey. */
function createSelectSignedIn(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select('u.id')
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId'))
      .where((of) =>
        of.or([
          of.exists(
            of
              .selectFrom('clientele_sessions as s')
              .select('s.id')
              .where('s.account_id', '=', value('accountId'))
              .where('s.user_id', '=', value('userId'))
              // An impersonation is no sign-in of the user.
              .where('s.impersonated_by', 'is', null),
          ),
          of.exists(
            of
              .selectFrom('clientele_identities as i')
              .select('i.id')
              .where('i.account_id', '=', value('accountId'))
              .where('i.user_id', '=', value('userId'))
              .where('i.last_used_at', 'is not', null),
          ),
          of.exists(
            of
              .selectFrom('clientele_passkeys as p')
              .select('p.id')
              .where('p.account_id', '=', value('accountId'))
              .where('p.user_id', '=', value('userId'))
              .where('p.last_used_at', 'is not', null),
          ),
        ]),
      ),
  )
}

function findInvitation({ db, tokens }: Parts): InvitationStore['find'] {
  return async (accountId, hash, now) => {
    const valid = validFor(purpose, invitationLifeSeconds, now)
    const row = await db.queryOne(tokens.find, { accountId, hash, ...valid })
    return row?.user_id
  }
}

function acceptInvitation({ db, tokens, proof }: Parts): InvitationStore['accept'] {
  const setPassword = createSetPassword(db, (of) => of('password_hash', 'is', null))

  return (accountId, hash, passwordHash, now, events) =>
    db.transact(function* (): Transaction<Accepted> {
      const named = { accountId, hash, ...validFor(purpose, invitationLifeSeconds, now) }
      const [found] = yield* run(tokens.find, named)
      if (found === undefined) return undefined
      const key = { accountId, userId: found.user_id, email: found.email }
      // The user first, as every change of the user does: two that begin at either end would wait for each other.
      const holder = yield* proof.lock(key)
      if (!holder?.user.isActive || holder.passwordHash !== null) return undefined
      const [taken] = yield* run(tokens.take, named)
      if (taken === undefined) return undefined
      const { isFirst } = holder
      let { user } = holder
      const told: NewEvent[] = isFirst ? yield* proof.endEnrolled(key, user, events) : []
      if (passwordHash !== null) {
        const input = { ...key, passwordHash, now, keepSessionId: null }
        const [row] = yield* setPassword.run({ ...eventValues(events.updated), ...input })
        if (row === undefined) return undefined
        user = toVersionedUser(row).user
      } else if (isFirst) yield* proof.endSignIns(key, now)
      if (isFirst || passwordHash === null) {
        yield* proof.noteVerified(key, now)
        const verified = events.verified(user, isFirst)
        yield* proof.append(accountId, [verified])
        told.push(verified)
      }
      return { user, told }
    })
}
