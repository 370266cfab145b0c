import { byUser, type Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { createRotatingToken } from '../../base/crypto/rotating-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { tooManyChanges } from '../../base/runtime/change-in-turn.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import { assertSignInAllowed, deviceAmr, needsSecondFactor } from '../accounts/assert-sign-in.ts'
import { newEvent } from '../events/new-event.ts'
import { mustChangePassword } from '../passwords/expired-hash.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import { maxAsked } from '../users/ask-until-unchanged.ts'
import { type ApprovedSignIn, approveSignIn } from './approve-sign-in.ts'
import type { SessionsServices } from './services.ts'
import { sessionLifeOf } from './session-life.ts'
import type { SessionConditions } from './store.ts'

/** The result of signing in. */
export interface SignedIn extends IssuedToken {
  refreshToken: string
  /** Seconds */
  refreshExpiresIn: number
  /** The recovery codes of a second factor that was enrolled by this sign-in: shown only this time */
  recoveryCodes?: string[]
  /** The token of a remembered device, for the next sign-in on it: each use replaces it */
  deviceToken?: string
  /** Seconds */
  deviceExpiresIn?: number
  user: ClientUser
}

/** The state of a user and of the account that a sign-in has checked. */
export interface ComparedCredentials extends Pick<SessionConditions, 'tokensNotBefore' | 'shown'> {
  passwordHash: string | null
  /** The account's policy, as it was read with the user */
  policy: StoredPolicy
  /** Whether the user's present address is verified; only sign-ins by password need it. @default false */
  isEmailVerified?: boolean | undefined
  /** What the hooks have said already. @default they are asked */
  approved?: ApprovedSignIn | undefined
}

/**
 * Opens a session for an authenticated user, unless the checked state has changed since. A policy that was set meanwhile
 * counts: once it is set, no session opens that it does not allow. Hooks are asked again about a user who has changed.
 *
 * @throws ClienteleError `credentials_invalid`, `sign_in_method_disabled`, `email_not_verified`; `refused_by_hook`,
 *   `hook_unavailable`, `hook_failed`; `overloaded` when the user changes all the time
 */
export async function openSession(
  services: SessionsServices,
  call: Call,
  user: StoredUser,
  amr: string[],
  compared: ComparedCredentials,
  sessionId?: string,
): Promise<SignedIn> {
  const { isEmailVerified = false } = compared
  if (mustChangePassword(amr, compared.passwordHash))
    throw new Error('A sign-in with an expired password continues with another password.')
  let { policy, approved } = compared
  const id = sessionId ?? approved?.sessionId
  const { rememberDeviceDays } = policy.rules
  for (let tries = 1; tries <= maxAsked; tries++) {
    assertSignInAllowed(policy.rules, amr, isEmailVerified)
    // It became required meanwhile, or devices are remembered for a shorter time: the sign-in starts over.
    if (needsSecondFactor(policy.rules, amr)) break
    if (amr.includes(deviceAmr) && policy.rules.rememberDeviceDays < rememberDeviceDays) break
    approved ??= await approveSignIn(services, call, user.id, amr, id)
    const checked = { ...compared, policy }
    const opened = await storeSession(services, call, user, amr, checked, approved)
    if (opened !== undefined) return opened
    const isOther = await hasChanged(services, call, approved)
    const settings = await services.repository.accounts.findSettings(call.accountId)
    if (settings === undefined || (settings.policy.text === policy.text && !isOther)) break
    policy = settings.policy
    if (isOther) approved = undefined
    if (isOther && tries === maxAsked) throw tooManyChanges()
  }
  throw new ClienteleError('credentials_invalid')
}

/** Whether the user is another than the hooks were asked about. */
async function hasChanged(
  { repository }: SessionsServices,
  { accountId }: Call,
  { asked }: ApprovedSignIn,
): Promise<boolean> {
  if (asked === undefined) return false
  const found = await repository.users.find(accountId, asked.user.id)
  return found !== undefined && found.version !== asked.version
}

/** Returns undefined if the checked state has changed. */
async function storeSession(
  services: SessionsServices,
  call: Call,
  given: StoredUser,
  amr: string[],
  { passwordHash, tokensNotBefore, shown, policy }: ComparedCredentials,
  { sessionId, claims, asked }: ApprovedSignIn,
): Promise<SignedIn | undefined> {
  const user = asked?.user ?? given
  const { repository, accessTokens, events, clock } = services
  const { ttlSeconds, maxSeconds } = sessionLifeOf(services, policy.rules)
  const { accountId } = call
  const now = clock()
  const successorSeed = createOpaqueToken()
  const refreshToken = createRotatingToken(sessionId, successorSeed)
  const endsAt = now + maxSeconds * 1000
  const expiresAt = Math.min(now + ttlSeconds * 1000, endsAt)
  const subject = { accountId, userId: user.id, sessionId, amr, authenticatedAt: now }
  const issued = await accessTokens.issue(subject, expiresAt, claims)
  // Its signature may have waited for its turn, as may that of what was shown.
  await call.stayAdmitted?.()
  const session = {
    id: sessionId,
    userId: user.id,
    amr,
    createdAt: now,
    expiresAt,
    refreshTokenHash: hashOpaqueToken(refreshToken),
    endsAt,
    successorSeed,
  }
  const ofUser = byUser(call, user.id)
  const event = newEvent(services, ofUser, 'user.logged_in', user.id, { sessionId, amr }, { user })
  const conditions = { tokensNotBefore, shown, policy: policy.text, version: asked?.version }
  const { create } = repository.sessions
  const outcome = await create(accountId, session, passwordHash, event, conditions)
  if (outcome === false) return undefined
  events.emit(event)
  if (outcome === 'over_limit') await endOldest(services, call, user.id, sessionId)
  return {
    ...issued,
    refreshToken,
    refreshExpiresIn: Math.floor((expiresAt - now) / 1000),
    user: toClientUser(user),
  }
}

/** Ends a user's surplus sessions. The user is signed in already: after a fault the next sign-in ends them. */
async function endOldest(
  services: SessionsServices,
  call: Call,
  userId: string,
  openedId: string,
): Promise<void> {
  const { repository, events, logger, clock } = services
  const { accountId, requestId } = call
  const eventOf = (sessionIds: string[]) =>
    newEvent(services, byUser(call, userId), 'session.revoked', userId, { sessionIds })
  try {
    const { endOldest } = repository.sessions
    const ended = await endOldest(accountId, userId, openedId, clock(), eventOf)
    if (ended !== undefined) events.emit(ended)
  } catch (error) {
    const details = { accountId, userId, requestId, error }
    logger.warn(details, 'A user has too many sessions; the next sign-in ends the oldest.')
  }
}
