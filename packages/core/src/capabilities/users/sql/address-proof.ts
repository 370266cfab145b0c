import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import type { StoredUser, VersionedUser } from '../../../user-model/stored-user.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { FirstProofEvents } from '../first-proof-events.ts'
import type { UserKey } from '../store.ts'
import { revokeCredentials } from './revoke-credentials.ts'
import { toVersionedUser, userColumns } from './user-rows.ts'
import { writtenUserColumns, writtenUserKinds } from './user-values.ts'
import { createNoteVerified, createSelectVerified } from './verified-emails.ts'

/** The user whose address is proved. The row stays locked until the transaction ends. */
export interface ProvedUser extends VersionedUser {
  passwordHash: string | null
  tokensNotBefore: number
  /** Whether this is the first proof: the user's present address is not verified yet. */
  isFirst: boolean
}

type Key = UserKey & { email: string }
export type AddressProof = ReturnType<typeof createAddressProof>

/**
 * Proves an address for the first time. Before that, an attacker may have registered the address and enrolled
 * credentials of their own. So the first proof ends everything that was enrolled before it, however the address is
 * proved:
 *
 * 1. `lock` the user, which tells whether this proof is the first;
 * 2. if it is, `endEnrolled`;
 * 3. end the sign-ins: by writing another password, by `dropPassword`, or by `endSignIns` if the password stays;
 * 4. `noteVerified`.
 *
 * Enrolments lock the user's row, too: each is either complete before the proof and ended by it, or begins after it.
 */
export function createAddressProof(db: Db) {
  const append = createAppend(db)
  const noteVerified = createNoteVerified(db)

  return {
    append,
    lock: createLock(db),
    endEnrolled: createEndEnrolled(db, append),
    endSignIns: createEndSignIns(db),
    dropPassword: createDropPassword(db),
    *noteVerified(key: Key, now: number): Transaction<void> {
      yield* noteVerified.run({ ...key, now })
    },
  }
}

type Append = (accountId: string, events: readonly NewEvent[]) => Transaction<void>

function createAppend(db: Db): Append {
  const appendEvent = createAppendEvent(db)

  return function* append(accountId, events) {
    for (const event of events) yield* run(appendEvent, { ...eventValues(event), accountId })
  }
}

function createLock(db: Db) {
  const lockUser = db.statement<Key>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before'])
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId'))
      // The proof is of this address: it does not count if the user has another address now.
      .where('u.email', '=', value('email'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const selectVerified = createSelectVerified(db)

  return function* lock(key: Key): Transaction<ProvedUser | undefined> {
    const [row] = yield* run(lockUser, key)
    if (row === undefined) return undefined
    const known = yield* run(selectVerified, key)
    const { password_hash: passwordHash, tokens_not_before: tokensNotBefore } = row
    const isFirst = known.length === 0
    return { ...toVersionedUser(row), passwordHash, tokensNotBefore, isFirst }
  }
}

/** Ends second factors, passkeys, identities and the user's own tokens; writes and returns their events. */
function createEndEnrolled(db: Db, append: Append) {
  const deleteFactors = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_mfa_factors')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning(['encrypted_totp_secret', 'email_enabled']),
  )
  const deleteCodes = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_recovery_codes')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('user_id'),
  )
  const deletePasskeys = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_passkeys')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('id'),
  )
  const deleteIdentities = db.statement<UserKey & { keptIdentityId: string | null }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_identities')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', 'is distinct from', db.typed(value('keptIdentityId'), 'id'))
        .returning(['id', 'issuer', 'subject']),
  )

  const deleteTokens = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_user_tokens')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning(['id', 'revoked_at']),
  )

  return function* endEnrolled(
    { accountId, userId }: UserKey,
    user: StoredUser,
    events: FirstProofEvents,
    keptIdentityId: string | null = null,
  ): Transaction<NewEvent[]> {
    const key = { accountId, userId }
    // Locks the rows in the same order as removing the factors
    const factors = yield* run(deleteFactors, key)
    const codes = yield* run(deleteCodes, key)
    const hadFactor = factors.some(
      (row) => row.encrypted_totp_secret !== null || Boolean(row.email_enabled),
    )
    const passkeys = yield* run(deletePasskeys, key)
    const identities = yield* run(deleteIdentities, { ...key, keptIdentityId })
    const tokens = yield* run(deleteTokens, key)
    // Of those that were revoked before, the log has an event.
    const tokenIds = tokens.flatMap((token) => (token.revoked_at === null ? [token.id] : []))
    const ended: NewEvent[] = [
      ...(hadFactor || codes.length > 0 ? [events.factorsRemoved(user)] : []),
      ...passkeys.map(({ id }) => events.passkeyRemoved(user, id)),
      ...identities.map((identity) => events.unlinked(user, identity)),
      ...(tokenIds.length > 0 ? [events.userTokensRevoked(user, tokenIds)] : []),
    ]
    yield* append(accountId, ended)
    return ended
  }
}

function createEndSignIns(db: Db) {
  const endAll = writeWithEffects<UserKey & { now: number; keepSessionId: null }>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set({ tokens_not_before: value('now') })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .returning(['account_id', 'id']),
    revokeCredentials(db),
    { seesLatest: true },
  )

  return function* endSignIns(key: UserKey, now: number): Transaction<void> {
    yield* endAll.run({ ...key, now, keepSessionId: null })
  }
}

/** Ends the password with the sign-ins, because the user has proved who they are without it. */
function createDropPassword(db: Db) {
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

  /** Returns the changed user. */
  return function* drop(key: UserKey, now: number): Transaction<VersionedUser | undefined> {
    const [changed] = yield* dropPassword.run({ ...key, now, keepSessionId: null })
    return changed && toVersionedUser(changed)
  }
}
