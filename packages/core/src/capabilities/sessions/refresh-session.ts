import { z } from 'zod'
import { byUser, type Call, originOf } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import {
  deriveSuccessor,
  isMacValid,
  type RotatingToken,
  readRotatingToken,
} from '../../base/crypto/rotating-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenRefreshTokenSchema } from '../../base/input/opaque-tokens.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import { askTokenClaims } from '../hooks/ask-hooks.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import type { SignedIn } from './open-session.ts'
import { countRefresh } from './refresh-limit.ts'
import type { SessionsServices } from './services.ts'
import { sessionLifeOf } from './session-life.ts'
import type { RefreshRotation, SessionState } from './store.ts'

/**
 * A session that was used this much later than now was used while the clock was ahead, in milliseconds. A day: a clock
 * that is corrected by hours ends no session.
 */
const maxAheadMs = 24 * 3_600_000

const refreshShape = { refreshToken: givenRefreshTokenSchema }
export const refreshSchema = z.strictObject(refreshShape)
export const refreshWireSchema = wireObject(refreshShape, { id: 'Refresh' })

/**
 * Uses up a refresh token: the session continues with its successor and a new access token. A second use within the
 * reuse window yields the same successor, for clients that lost the response or whose tabs refreshed simultaneously. A
 * use after the window means that the token was stolen, by or from its holder, and the session ends.
 *
 * @throws ClienteleError `refresh_token_invalid`; `rate_limited` when the session was refreshed too often;
 *   `refused_by_hook`, `hook_unavailable`, `hook_failed`; `overloaded` when the user changes all the time
 */
export async function refreshSession(
  services: SessionsServices,
  call: Call,
  { refreshToken }: z.output<typeof refreshSchema>,
): Promise<SignedIn> {
  return askUntilUnchanged(() => tryRefresh(services, call, refreshToken))
}

/** Returns undefined if the user has changed since the hook was asked. */
async function tryRefresh(
  services: SessionsServices,
  call: Call,
  refreshToken: string,
): Promise<SignedIn | undefined> {
  const found = await findContinued(services, call, refreshToken)
  const { token, state } = found
  const ofUser = byUser(call, state.user.user.id)
  const isLatest = token.position === state.refreshes
  const reused = isLatest
    ? undefined
    : await reuse(services, ofUser, found, state, services.clock())
  const version = askedVersionOf(services, found)
  // Before the token is used up: without claims, its holder keeps it. Only its holder has hooks asked.
  if (isLatest && version !== undefined) rotationOf(services, found)
  const claims = await claimsOf(services, ofUser, found, state.amr)
  if (reused !== undefined && version !== undefined) {
    const latest = await services.repository.sessions.find(call.accountId, token.ownerId)
    if (latest?.user.version !== version) return undefined
  }
  const expiresAt = reused ?? (await useUp(services, ofUser, found, version))
  if (expiresAt === undefined) return undefined
  return continueSession(services, call, found, expiresAt, state, claims)
}

/** The version of the user that `claimsOf` asks about; undefined: it asks no hook. */
export function askedVersionOf(
  { hooks }: SessionsServices,
  { state }: ContinuedSession,
): number | undefined {
  return hooks.has('tokenClaims') ? state.user.version : undefined
}

/**
 * The claims that a hook adds to the next token of a session.
 *
 * @throws ClienteleError `refused_by_hook`, `hook_unavailable`, `hook_failed`
 */
export async function claimsOf(
  services: SessionsServices,
  call: Call,
  { token, state }: ContinuedSession,
  amr: string[],
): Promise<Record<string, unknown> | undefined> {
  const session = { amr, sessionId: token.ownerId, impersonatedBy: null }
  return askTokenClaims(services, call, state.user.user, session)
}

/** A session that a refresh token names. Whether it is the session's latest one is not checked yet. */
export interface ContinuedSession {
  token: RotatingToken
  text: string
  /** The refresh token that follows */
  successor: string
  state: SessionState
}

/** @throws ClienteleError `refresh_token_invalid` */
export async function findContinued(
  { repository, clock }: SessionsServices,
  { accountId }: Call,
  text: string,
): Promise<ContinuedSession> {
  const token = readRotatingToken(text)
  if (token === undefined) throw invalid()
  const state = await repository.sessions.find(accountId, token.ownerId)
  if (state === undefined || !state.user.user.isActive || state.isAccountDisabled) throw invalid()
  // It would live too long.
  if (state.lastUsedAt > clock() + maxAheadMs) throw invalid()
  return { token, text, successor: deriveSuccessor(token, state.successorSeed), state }
}

/**
 * Issues a token for a session whose refresh token has been used.
 *
 * @throws ClienteleError `refresh_token_invalid` for a session that has expired
 */
export async function continueSession(
  { accessTokens, clock }: SessionsServices,
  call: Call,
  { token, successor, state }: ContinuedSession,
  expiresAt: number,
  { amr, authenticatedAt }: Pick<SessionState, 'amr' | 'authenticatedAt'>,
  claims: Record<string, unknown> | undefined,
): Promise<SignedIn> {
  const { user } = state.user
  const now = clock()
  if (expiresAt <= now) throw invalid()
  const { ownerId: sessionId } = token
  const { accountId } = call
  const session = { accountId, userId: user.id, sessionId, amr, authenticatedAt }
  const issued = await accessTokens.issue(session, expiresAt, claims)
  // The signature may have waited for its turn.
  await call.stayAdmitted?.()
  return {
    ...issued,
    refreshToken: successor,
    refreshExpiresIn: Math.floor((expiresAt - now) / 1000),
    user: toClientUser(user),
  }
}

/**
 * Ensures that a refresh token is the latest one of its session, without using it up. One that was used before means
 * the same as in `refreshSession`: after the reuse window the session ends.
 *
 * @throws ClienteleError `refresh_token_invalid`; `rate_limited` when the session was refreshed too often
 */
export async function assertLatest(
  services: SessionsServices,
  call: Call,
  found: ContinuedSession,
): Promise<void> {
  const { token, state } = found
  if (token.position !== state.refreshes) {
    await reuse(services, byUser(call, state.user.user.id), found, state, services.clock())
    throw invalid()
  }
  rotationOf(services, found)
}

/**
 * What the use of a session's latest token changes.
 *
 * @throws ClienteleError `refresh_token_invalid` when it is not the latest, or has expired; `rate_limited` when the
 *   session was refreshed too often
 */
export function rotationOf(
  services: SessionsServices,
  { text, successor, state }: ContinuedSession,
): RefreshRotation {
  const { clock, refreshLimit } = services
  const now = clock()
  if (hashOpaqueToken(text) !== state.refreshTokenHash || state.expiresAt <= now) throw invalid()
  const { ttlSeconds } = sessionLifeOf(services, state.policy.rules)
  return {
    successorHash: hashOpaqueToken(successor),
    usedAt: now,
    expiresAt: Math.min(now + ttlSeconds * 1000, state.endsAt),
    ...countRefresh(state, refreshLimit, now),
  }
}

/**
 * Replaces a session's latest token by its successor; returns when the successor expires, or undefined if the user is of
 * another version than a hook was asked about.
 */
async function useUp(
  services: SessionsServices,
  call: Call,
  found: ContinuedSession,
  version: number | undefined,
): Promise<number | undefined> {
  const { repository, events, clock } = services
  const { token, text, state } = found
  const { ownerId: sessionId } = token
  const rotation = rotationOf(services, found)
  const hash = hashOpaqueToken(text)
  const { rotateRefreshToken } = repository.sessions
  if (await rotateRefreshToken(call.accountId, sessionId, hash, rotation, version)) {
    const userId = state.user.user.id
    events.emitUnrecorded({ ...originOf(call), userId, sessionId })
    return rotation.expiresAt
  }
  // Another request has just used it, or the session has ended.
  const latest = await repository.sessions.find(call.accountId, sessionId)
  if (latest === undefined) throw invalid()
  if (version !== undefined && latest.user.version !== version) return undefined
  return reuse(services, call, found, latest, clock())
}

/** Allows a second use within the window; after it the session ends. Returns when the successor expires. */
async function reuse(
  services: SessionsServices,
  call: Call,
  { token, successor }: Pick<ContinuedSession, 'token' | 'successor'>,
  { refreshTokenHash, refreshes, refreshedAt, expiresAt, successorSeed, user }: SessionState,
  now: number,
): Promise<number> {
  const { repository, events, refreshReuseSeconds } = services
  const age = refreshedAt === null ? Number.NaN : now - refreshedAt
  // A use in the future means that the clock was set back, except for small differences between processes.
  const isRecent = age >= -leewaySeconds * 1000 && age <= refreshReuseSeconds * 1000
  if (isRecent && hashOpaqueToken(successor) === refreshTokenHash) return expiresAt
  // Before the expiry is checked: theft is detected however late the owner uses the token.
  const wasGiven = token.position < refreshes && isMacValid(token, successorSeed)
  const { ownerId: sessionId } = token
  const userId = user.user.id
  if (wasGiven) {
    const event = newEvent(services, call, 'session.reuse_detected', userId, { sessionId })
    if (await repository.sessions.delete(call.accountId, userId, sessionId, event))
      events.emit(event)
  }
  throw invalid()
}

function invalid(): ClienteleError {
  return new ClienteleError('refresh_token_invalid')
}
