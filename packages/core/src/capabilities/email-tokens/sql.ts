import type { Db } from '../../sql/db.ts'
import { createEndSurplus } from '../../sql/end-surplus.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import type { NewEvent } from '../events/new-event.ts'
import { eventValues } from '../events/sql/record-event.ts'
import {
  type AddressProof,
  createAddressProof,
  type ProvedUser,
} from '../users/sql/address-proof.ts'
import { createHoldUser } from '../users/sql/hold-user.ts'
import { createMailedTokens, type MailedTokens, validFor } from '../users/sql/mailed-tokens.ts'
import { createSetPassword } from '../users/sql/set-password.ts'
import { toVersionedUser } from '../users/sql/user-rows.ts'
import { createSelectVerified } from '../users/sql/verified-emails.ts'
import type { UserKey } from '../users/store.ts'
import type { EmailTokenPurpose, EmailTokenStore } from './store.ts'
import { tokenLifeSeconds } from './token-life.ts'

type Reset = NonNullable<Awaited<ReturnType<EmailTokenStore['resetPassword']>>>
type TakeProof = ReturnType<typeof createTakeProof>

export function createEmailTokenStore(db: Db): EmailTokenStore {
  const proof = createAddressProof(db)
  const tokens = createMailedTokens(db)
  const takeProof = createTakeProof(tokens, proof)

  return {
    create: createToken(db, tokens),
    endSurplus: endSurplus(db),
    find: findToken(db, tokens),
    resetPassword: resetPassword(db, takeProof, proof),
    verifyEmail: verifyEmail(db, takeProof, proof),
    findVerifiedAt: findVerifiedAt(db),
  }
}

function createToken(db: Db, { insert }: MailedTokens): EmailTokenStore['create'] {
  const holdUser = createHoldUser(db)
  return (accountId, token) =>
    db.transact(function* (): Transaction<boolean> {
      const { userId, email } = token
      if ((yield* holdUser({ accountId, email })) !== userId) return false
      yield* run(insert, { accountId, ...token })
      return true
    })
}

/** Of each purpose by itself: tokens that live longer must not push out those that live shorter. */
function endSurplus(db: Db): EmailTokenStore['endSurplus'] {
  const table = 'clientele_email_tokens'
  const ofPurpose: Record<EmailTokenPurpose, ReturnType<typeof createEndSurplus>> = {
    password_reset: createEndSurplus(db, table, 'password_reset'),
    email_verification: createEndSurplus(db, table, 'email_verification'),
  }
  return (accountId, userId, purpose, newestEnd) => ofPurpose[purpose](accountId, userId, newestEnd)
}

/** The purpose and the ends of tokens that are valid */
function validAt(purpose: EmailTokenPurpose, now: number) {
  return validFor(purpose, tokenLifeSeconds[purpose], now)
}

function findToken(db: Db, { find }: MailedTokens): EmailTokenStore['find'] {
  return async (accountId, hash, purpose, now) => {
    const row = await db.queryOne(find, { accountId, hash, ...validAt(purpose, now) })
    return row?.user_id
  }
}

/** Makes the function that uses up a token and locks its user, who must still have the address. */
function createTakeProof({ find, take }: MailedTokens, { lock }: AddressProof) {
  return function* takeProof(
    ...[accountId, hash, purpose, now]: Parameters<EmailTokenStore['find']>
  ): Transaction<{ key: UserKey & { email: string }; holder: ProvedUser } | undefined> {
    const named = { accountId, hash, ...validAt(purpose, now) }
    const [found] = yield* run(find, named)
    if (found === undefined) return undefined
    const key = { accountId, userId: found.user_id, email: found.email }
    // The user first, as every change of the user does: two that begin at either end would wait for each other.
    const holder = yield* lock(key)
    const taken = yield* run(take, named)
    return holder !== undefined && taken.length > 0 ? { key, holder } : undefined
  }
}

function resetPassword(
  db: Db,
  takeProof: TakeProof,
  proof: AddressProof,
): EmailTokenStore['resetPassword'] {
  const setPassword = createSetPassword<{ email: string }>(db, (of, value) =>
    // The token was sent to this address: it does not work if the user has another address now.
    of.and([of('email', '=', value('email')), of('is_active', '=', true)]),
  )

  return (accountId, hash, passwordHash, now, events) =>
    db.transact(function* (): Transaction<Reset | undefined> {
      const proved = yield* takeProof(accountId, hash, 'password_reset', now)
      if (!proved?.holder.user.isActive) return undefined
      const { key, holder } = proved
      const { isFirst } = holder
      const ended = isFirst ? yield* proof.endEnrolled(key, holder.user, events) : []
      const input = { ...key, passwordHash, now, keepSessionId: null }
      const [row] = yield* setPassword.run({ ...eventValues(events.reset), ...input })
      if (row === undefined) return undefined
      const { user } = toVersionedUser(row)
      if (!isFirst) return { user, told: [] }
      yield* proof.noteVerified(key, now)
      const verified = events.verified(user, true)
      yield* proof.append(accountId, [verified])
      return { user, told: [...ended, verified] }
    })
}

function verifyEmail(
  db: Db,
  takeProof: TakeProof,
  proof: AddressProof,
): EmailTokenStore['verifyEmail'] {
  return (accountId, hash, now, events) =>
    db.transact(function* (): Transaction<NewEvent[] | undefined> {
      const proved = yield* takeProof(accountId, hash, 'email_verification', now)
      if (proved === undefined) return undefined
      const { key, holder } = proved
      const { user, isFirst } = holder
      const ended = isFirst ? yield* proof.endEnrolled(key, user, events) : []
      if (isFirst) yield* proof.endSignIns(key, now)
      yield* proof.noteVerified(key, now)
      const verified = events.verified(user, isFirst)
      yield* proof.append(accountId, [verified])
      return [...ended, verified]
    })
}

function findVerifiedAt(db: Db): EmailTokenStore['findVerifiedAt'] {
  const selectVerified = createSelectVerified(db)

  return async (accountId, userId) => {
    const row = await db.queryOne(selectVerified, { accountId, userId })
    return row?.verifiedAt
  }
}
