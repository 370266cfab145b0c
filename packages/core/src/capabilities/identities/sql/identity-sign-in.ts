import type { Db } from '../../../sql/db.ts'
import { Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { NewEvent } from '../../events/new-event.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { type AddressProof, createAddressProof } from '../../users/sql/address-proof.ts'
import { factorUserId } from '../../users/sql/factor-user-id.ts'
import { createInsertUser, toInsertedUser } from '../../users/sql/insert-user.ts'
import { byIdentity, type IdentityName, toCredentials } from '../../users/sql/user-look-ups.ts'
import { userColumns } from '../../users/sql/user-rows.ts'
import type { UserKey } from '../../users/store.ts'
import type { IdentityStore, LinkByEmailOutcome, TrustRefusal } from '../store.ts'
import { createInsertIdentity, createSelectIdentities } from './identity-statements.ts'
import { createLockTrust } from './lock-trust.ts'

/** The identity of a new user belongs to another user: the user is not created either. */
class IdentityTaken extends Rollback {}

/** The statements of signing in with an ID token. */
export function createIdentitySignIn(
  db: Db,
  counts: UserCounts,
): Pick<IdentityStore, 'findCredentials' | 'linkByEmail' | 'createUser' | 'noteUse'> {
  const proof = createAddressProof(db)

  return {
    findCredentials: findCredentials(db),
    linkByEmail: linkByEmail(db, proof),
    createUser: createUser(db, counts, proof),
    noteUse: noteUse(db),
  }
}

function findCredentials(db: Db): IdentityStore['findCredentials'] {
  const selectCredentials = db.statement<IdentityName>()((queries, value) =>
    byIdentity(queries, value)
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before', 'i.id as identity_id']),
  )

  return async (accountId, issuer, subject) => {
    const row = await db.queryOne(selectCredentials, { accountId, issuer, subject })
    return row && { ...toCredentials(row), identityId: row.identity_id }
  }
}

function linkByEmail(db: Db, proof: AddressProof): IdentityStore['linkByEmail'] {
  const selectIdentities = createSelectIdentities(db)
  const insertIdentity = createInsertIdentity(db)
  const lockTrust = createLockTrust(db)
  /** Whether the user has a second factor */
  const selectFactor = db.statement<UserKey>()((queries, value) =>
    queries.selectNoFrom(factorUserId(value('accountId'), value('userId'))),
  )

  return (accountId, link, events) =>
    db.transact(function* (): Transaction<LinkByEmailOutcome> {
      const { identity, email, trust, maximum } = link
      const { userId, id, createdAt: now } = identity
      const key = { accountId, userId, email }
      const found = yield* proof.lock(key)
      if (!found?.user.isActive) return 'user_not_found'
      if (found.tokensNotBefore !== link.tokensNotBefore) return 'token_revoked'
      const { version } = found
      if (link.version !== undefined && version !== link.version) return 'user_changed'
      const refusal = yield* lockTrust(accountId, trust)
      if (refusal !== undefined) return refusal
      const isStranger = found.isFirst
      const { isVerified } = trust
      const [factor] = yield* run(selectFactor, key)
      const hasFactor = factor?.factor_user_id !== null
      if (hasFactor && !(isStranger && isVerified)) return 'user_not_found'
      const rows = yield* run(selectIdentities, key)
      if (!isStranger && rows.length >= maximum) return 'identity_limit_reached'
      // Two subjects at one issuer are two people: the address now belongs to another person.
      const isOther = rows.some((row) => row.issuer === identity.issuer)
      if (!isStranger && isOther) return 'identity_taken'
      const [linked] = yield* run(insertIdentity, { accountId, ...identity })
      if (linked === undefined) return 'identity_taken'
      if (!isStranger) {
        const { user, passwordHash, tokensNotBefore } = found
        const written = [events.linked(user, false)]
        yield* proof.append(accountId, written)
        return { user, version, passwordHash, tokensNotBefore, events: written }
      }
      const ended = yield* proof.endEnrolled(key, found.user, events, id)
      const changed = (yield* proof.dropPassword(key, now)) ?? found
      const { user } = changed
      const written: NewEvent[] = [events.linked(user, true)]
      if (isVerified) {
        yield* proof.noteVerified(key, now)
        written.push(events.verified(user))
      }
      yield* proof.append(accountId, written)
      const told = [...ended, ...written]
      return {
        user,
        version: changed.version,
        passwordHash: null,
        tokensNotBefore: now,
        events: told,
      }
    })
}

function createUser(db: Db, counts: UserCounts, proof: AddressProof): IdentityStore['createUser'] {
  const insertIdentity = createInsertIdentity(db)
  const insertUser = createInsertUser(db)
  const lockTrust = createLockTrust(db)
  type Refusal = TrustRefusal | 'email_taken'

  return async (accountId, { user, identity, trust, events }) => {
    const [createdEvent, ...others] = events
    try {
      const refusal = await db.transact(function* (): Transaction<Refusal | undefined> {
        const refusal = yield* lockTrust(accountId, trust)
        if (refusal !== undefined) return refusal
        const created = yield* insertUser.run(toInsertedUser(accountId, user, createdEvent))
        if (created.length === 0) return 'email_taken'
        const [linked] = yield* run(insertIdentity, { accountId, ...identity })
        if (linked === undefined) throw new IdentityTaken('The identity is taken.')
        const isVerified = others.some(({ type }) => type === 'user.email_verified')
        if (isVerified) {
          const { id: userId, email, createdAt: now } = user
          yield* proof.noteVerified({ accountId, userId, email }, now)
        }
        yield* proof.append(accountId, others)
        return undefined
      })
      if (refusal !== undefined) return refusal
    } catch (error) {
      if (error instanceof IdentityTaken) return 'identity_taken'
      throw error
    }
    counts.foldSometimes(accountId, user.id)
    return 'created'
  }
}

function noteUse(db: Db): IdentityStore['noteUse'] {
  const updateUse = db.statement<{ accountId: string; id: string; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_identities')
        .set({ last_used_at: value('at') })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id')),
  )

  return async (accountId, id, at) => {
    await db.query(updateUse, { accountId, id, at })
  }
}
