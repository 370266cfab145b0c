import type { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import { needsSecondFactor } from '../accounts/assert-sign-in.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { rememberShape } from '../devices/device.ts'
import { rememberDevice } from '../devices/remember-device.ts'
import { newEvent } from '../events/new-event.ts'
import { askBeforeUpdate } from '../hooks/ask-hooks.ts'
import { findChallenge } from '../mfa/find-challenge.ts'
import { refuseIfGone } from '../mfa/refuse-if-gone.ts'
import { isExpiredHash } from '../passwords/expired-hash.ts'
import { hashFor } from '../passwords/hash-for.ts'
import { type ApprovedSignIn, askAboutSignIn, settleApproved } from '../sessions/approve-sign-in.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import { checkAccountRules, type UserSchemas } from '../users/user-input.ts'
import type { ExpiredPasswordsServices } from './services.ts'
import type { PasswordChange } from './store.ts'

/** The answer to a challenge that asks for another password. */
export interface ChangeExpiredPasswordInput {
  challenge: string
  /** The new password; the old one is refused */
  password: string
  /** Remembers the device, if the account's policy allows it and the sign-in had a second factor. @default false */
  rememberDevice?: boolean
  /** What the user calls the device, up to 100 characters */
  deviceName?: string
}

export const changeExpiredPasswordShape = (password: UserSchemas['password']) => ({
  challenge: givenOpaqueTokenSchema,
  password,
  ...rememberShape,
})

type Checked = z.output<z.ZodObject<ReturnType<typeof changeExpiredPasswordShape>>>

/**
 * Completes a sign-in whose password has expired with another one. Every session, device, other challenge and mailed
 * token of the user ends, as with any new password.
 *
 * @throws ClienteleError `challenge_invalid`, also where the user or the policy changed once the new password was
 *   stored: the sign-in starts over with that; `validation_failed` for a password that breaks a rule or is the old one;
 *   `sign_in_method_disabled`, `email_not_verified`, `overloaded`
 */
export async function changeExpiredPassword(
  services: ExpiredPasswordsServices,
  call: Call,
  { challenge, password, rememberDevice: remembers, deviceName }: Checked,
): Promise<SignedIn> {
  const { repository, passwords, passwordPolicy, clock } = services
  const { accountId } = call
  const challengeHash = hashOpaqueToken(challenge)
  const found = await findChallenge(services, call, challenge)
  const { userId, amr, policy, isEmailVerified, hasFactor } = found
  const lacksFactor = hasFactor && !amr.includes('mfa')
  // Such a challenge asks for a second factor first.
  if (lacksFactor || needsSecondFactor(policy.rules, amr))
    throw new ClienteleError('challenge_invalid')
  const remembersDevice = remembers === true && amr.includes('mfa')
  // A device stands for the factors that there are now, not for those that the user has when the hooks have answered.
  const factors = remembersDevice ? await repository.mfa.find(accountId, userId) : undefined
  const account = await findAccountRules(services, call)
  await checkAccountRules(account, passwordPolicy, { roles: [], password })
  passwords.assertRoom(accountId)
  const state = await repository.mfa.tryChallenge(accountId, challengeHash, clock())
  const expiredHash = state?.passwordHash ?? null
  if (expiredHash === null || !isExpiredHash(expiredHash))
    throw new ClienteleError('challenge_invalid')
  if (await passwords.verify(accountId, expiredHash, password, userId)) {
    const message = 'must be another one: the old password has expired'
    throw invalidInput([{ pointer: '/password', code: 'value', message }])
  }
  const passwordHash = await hashFor(services, call, password)
  const change = { userId, challengeHash, expiredHash, passwordHash }
  const { user, tokensNotBefore, sessionId, approved } = await store(services, call, change, amr)
  const compared = { passwordHash, tokensNotBefore, policy, isEmailVerified, approved }
  const { user: signedInUser, ...opened } = await openSession(
    services,
    call,
    user,
    amr,
    compared,
    sessionId,
  ).catch(refuseIfGone)
  const device =
    factors !== undefined
      ? await rememberDevice(services, call, user, deviceName, policy.rules, {
          ...compared,
          factors,
        })
      : undefined
  return { ...opened, ...device, user: signedInUser }
}

/** A new password that is stored, and what its session is compared with */
interface StoredChange {
  user: StoredUser
  tokensNotBefore: number
  sessionId: string
  approved: ApprovedSignIn | undefined
}

/** Asks the hooks, so that a refusal leaves the password as it is, and then stores the new one. */
async function store(
  services: ExpiredPasswordsServices,
  call: Call,
  change: PasswordChange,
  amr: string[],
): Promise<StoredChange> {
  const { repository, events, clock, newId } = services
  const { accountId } = call
  const { userId } = change
  return askUntilUnchanged(async () => {
    const found = await findAsked(services, call, userId)
    const approved = found && (await askFirst(services, call, found, amr))
    // It may be older than the event, by which remote validators end the user's other sessions.
    const sessionId = approved?.sessionId ?? newId()
    const data = {
      changed: ['password' as const],
      keptSessionId: sessionId,
      revokedTokens: undefined,
    }
    const event = newEvent(services, byUser(call, userId), 'user.updated', userId, data)
    const now = clock()
    const expected = { ...change, version: found?.version }
    const changed = await repository.expiredPasswords.change(accountId, expected, now, event)
    if (changed !== undefined) {
      const { user } = changed
      events.emit(event, user)
      const settled = approved && settleApproved(approved)
      return { user, tokensNotBefore: now, sessionId, approved: settled }
    }
    const latest = found && (await repository.users.find(accountId, userId))
    if (latest?.version === found?.version) throw new ClienteleError('challenge_invalid')
    return undefined
  })
}

/** The user that hooks are asked about; undefined: there are none. */
async function findAsked(
  { hooks, repository }: ExpiredPasswordsServices,
  { accountId }: Call,
  userId: string,
): Promise<VersionedUser | undefined> {
  const names = ['beforeUpdate', 'beforeSignIn', 'tokenClaims'] as const
  if (!names.some((name) => hooks.has(name))) return undefined
  const found = await repository.users.find(accountId, userId)
  if (found === undefined) throw new ClienteleError('challenge_invalid')
  return found
}

/** Asks the hooks about the new password, and about the sign-in that follows. */
async function askFirst(
  services: ExpiredPasswordsServices,
  call: Call,
  found: VersionedUser,
  amr: string[],
): Promise<ApprovedSignIn> {
  const { user } = found
  await askBeforeUpdate(services, byUser(call, user.id), user, user, ['password'])
  return askAboutSignIn(services, call, found, amr)
}
