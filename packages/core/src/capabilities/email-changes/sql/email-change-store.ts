import type { HttpErrorCode } from '../../../base/errors.ts'
import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { eventValues } from '../../events/sql/record-event.ts'
import { createExpirePassword } from '../../expired-passwords/sql.ts'
import { type AddressProof, createAddressProof } from '../../users/sql/address-proof.ts'
import { createMailedTokens, type MailedTokens, validFor } from '../../users/sql/mailed-tokens.ts'
import { createUserLookUps } from '../../users/sql/user-look-ups.ts'
import { createPrepareReplacement } from '../../users/sql/user-replacements.ts'
import { toVersionedUser } from '../../users/sql/user-rows.ts'
import { confirmLifeSeconds, undoLifeSeconds } from '../change-life.ts'
import type { ChangedEmail, EmailChangeStore, RequestOutcome } from '../store.ts'
import { type ChangeRows, createChangeRows } from './change-rows.ts'

const purpose = 'email_change'

/** What the methods share */
interface Parts {
  db: Db
  tokens: MailedTokens
  proof: AddressProof
  rows: ChangeRows
  prepare: ReturnType<typeof createPrepareReplacement>
  find: ReturnType<typeof createUserLookUps>['find']
}

export function createEmailChangeStore(db: Db): EmailChangeStore {
  const parts = {
    db,
    tokens: createMailedTokens(db),
    proof: createAddressProof(db),
    rows: createChangeRows(db),
    prepare: createPrepareReplacement(db),
    find: createUserLookUps(db).find,
  }
  return {
    request: requestChange(parts),
    findOpen: findOpen(parts),
    confirm: confirmChange(parts),
    findUndoable: findUndoable(parts),
    cancel: cancelChange(parts),
    undo: undoChange(parts),
  }
}

function confirmableAt(now: number) {
  return validFor(purpose, confirmLifeSeconds, now)
}

function undoableAt(now: number) {
  return { now, latest: latestEnd(now, undoLifeSeconds * 1000) }
}

function requestChange({ db, tokens, proof, rows }: Parts): EmailChangeStore['request'] {
  return (accountId, userId, change, eventOf) =>
    db.transact(function* (): Transaction<RequestOutcome> {
      const key = { accountId, userId }
      const { email, confirmHash, confirmExpiresAt, undoHash, undoExpiresAt } = change
      const [row] = yield* run(rows.lockUser, key)
      if (row === undefined) return 'user_not_found'
      const { user } = toVersionedUser(row)
      if (!user.isActive) return 'user_inactive'
      if (user.email === email) return 'email_unchanged'
      yield* run(rows.deleteMailed, { ...key, purpose })
      yield* run(rows.deleteOpen, key)
      const token = { ...key, hash: confirmHash, email, expiresAt: confirmExpiresAt, purpose }
      yield* run(tokens.insert, token)
      const undo = { hash: undoHash, email: user.email, confirmHash, expiresAt: undoExpiresAt }
      yield* run(rows.insert, { ...key, ...undo })
      const event = eventOf(user)
      yield* proof.append(accountId, [event])
      return { user, event }
    })
}

function findOpen({ db, rows }: Parts): EmailChangeStore['findOpen'] {
  return async (accountId, confirmHash, now) => {
    const input = { accountId, hash: confirmHash, ...confirmableAt(now) }
    return db.queryOne(rows.selectOpen, input)
  }
}

function findUndoable({ db, rows }: Parts): EmailChangeStore['findUndoable'] {
  return async (accountId, hash, now) => {
    const row = await db.queryOne(rows.selectUndoable, { accountId, hash, ...undoableAt(now) })
    if (row === undefined) return undefined
    const { user_id: userId, email, confirmed_version: version } = row
    return { userId, email, isConfirmed: version !== null }
  }
}

type Outcome = ChangedEmail | HttpErrorCode

/** Runs a replacement that may meet another user's address; the user may be gone, or have changed. */
async function replaceInTurn(
  { db, find }: Parts,
  accountId: string,
  userId: string,
  write: () => Transaction<Outcome>,
): Promise<Outcome> {
  try {
    const outcome = await db.transact(write)
    if (outcome !== 'precondition_failed') return outcome
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'unique') return 'email_taken'
    throw error
  }
  const isThere = (await find(accountId, userId)) !== undefined
  return isThere ? 'precondition_failed' : 'user_not_found'
}

function confirmChange(parts: Parts): EmailChangeStore['confirm'] {
  const { tokens, proof, rows, prepare } = parts
  return (replacement, confirmHash, events) => {
    const [accountId, userId, { email, before, updatedAt: now }] = replacement
    const { write, input } = prepare(...replacement)
    const token = { accountId, hash: confirmHash, ...confirmableAt(now) }
    function* confirm(): Transaction<Outcome> {
      const key = { accountId, userId, email: before?.user.email ?? email }
      // The user first, as every change of the user does.
      const holder = yield* proof.lock(key)
      if (holder === undefined) return 'precondition_failed'
      const { user, isFirst } = holder
      const [open] = yield* run(rows.selectOpen, token)
      if (open?.userId !== userId || open.email !== email || !user.isActive)
        return 'email_change_invalid'
      const [row] = yield* write.run(input)
      if (row === undefined) return 'precondition_failed'
      const changed = toVersionedUser(row)
      yield* run(tokens.take, token)
      yield* run(rows.noteConfirmed, { accountId, confirmHash, version: changed.version })
      yield* run(rows.deleteBetween, { accountId, userId, email, now })
      const told: NewEvent[] = isFirst ? yield* proof.endEnrolled(key, user, events) : []
      if (isFirst) yield* proof.endSignIns(key, now)
      yield* proof.noteVerified({ accountId, userId, email }, now)
      if (isFirst) {
        const verified = events.verified(changed.user, true)
        yield* proof.append(accountId, [verified])
        told.push(verified)
      }
      return { changed, told }
    }
    return replaceInTurn(parts, accountId, userId, confirm)
  }
}

function cancelChange({ db, proof, rows }: Parts): EmailChangeStore['cancel'] {
  return (accountId, userId, hash, eventOf) =>
    db.transact(function* (): Transaction<NewEvent | undefined> {
      const [row] = yield* run(rows.lockUser, { accountId, userId })
      if (row === undefined) return undefined
      const deleted = yield* run(rows.deleteOpenBy, { accountId, userId, hash })
      if (deleted.length === 0) return undefined
      yield* run(rows.deleteMailed, { accountId, userId, purpose })
      const event = eventOf(toVersionedUser(row).user)
      yield* proof.append(accountId, [event])
      return event
    })
}

function undoChange(parts: Parts): EmailChangeStore['undo'] {
  const { proof, rows, prepare } = parts
  const expirePassword = createExpirePassword(parts.db)

  return (replacement, hash, events) => {
    const [accountId, userId, { email, before, updatedAt: now }] = replacement
    const { write, input } = prepare(...replacement)
    function* undo(): Transaction<Outcome> {
      const key = { accountId, userId, email: before?.user.email ?? email }
      const holder = yield* proof.lock(key)
      if (holder === undefined) return 'precondition_failed'
      const [change] = yield* run(rows.selectUndoable, { accountId, hash, ...undoableAt(now) })
      if (change?.user_id !== userId || change.email !== email || change.confirmed_version === null)
        return 'email_change_invalid'
      const [row] = yield* write.run(input)
      if (row === undefined) return 'precondition_failed'
      const changed = toVersionedUser(row)
      const { confirmed_version: version } = change
      yield* run(rows.deleteSince, { accountId, userId, version })
      const told = yield* proof.endEnrolled(key, holder.user, events)
      yield* proof.endSignIns(key, now)
      const expiry = { ...eventValues(events.passwordExpired), accountId, userId }
      const expired = yield* expirePassword.run(expiry)
      if (expired.length > 0) told.push(events.passwordExpired)
      yield* proof.noteVerified({ accountId, userId, email }, now)
      const verified = events.verified(changed.user, true)
      yield* proof.append(accountId, [verified])
      return { changed, told: [...told, verified] }
    }
    return replaceInTurn(parts, accountId, userId, undo)
  }
}
