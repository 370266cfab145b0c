import { z } from 'zod'
import { byUser, type Call, originOf } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenRefreshTokenSchema } from '../../base/input/opaque-tokens.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import type { SignedIn } from './open-session.ts'
import { countRefresh } from './refresh-limit.ts'
import {
  deriveSuccessor,
  isMacValid,
  type RefreshToken,
  readRefreshToken,
} from './refresh-token.ts'
import type { SessionsServices } from './services.ts'
import type { SessionState } from './store.ts'

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
 * @throws ClienteleError `refresh_token_invalid`; `rate_limited` when the session was refreshed too often
 */
export async function refreshSession(
  services: SessionsServices,
  call: Call,
  { refreshToken }: z.output<typeof refreshSchema>,
): Promise<SignedIn> {
  const token = readRefreshToken(refreshToken)
  if (token === undefined) throw invalid()
  const { repository, accessTokens, clock } = services
  const { accountId } = call
  const now = clock()
  const state = await repository.sessions.find(accountId, token.sessionId)
  if (state === undefined || !state.user.user.isActive || state.isAccountDisabled) throw invalid()
  // It would live too long.
  if (state.lastUsedAt > now + maxAheadMs) throw invalid()
  const { user } = state.user
  const ofUser = byUser(call, user.id)
  const successor = deriveSuccessor(token, state.successorSeed)
  const expiresAt =
    token.position === state.refreshes
      ? await useUp(services, ofUser, { token, text: refreshToken, successor }, state)
      : await reuse(services, ofUser, { token, successor }, state, now)
  if (expiresAt <= now) throw invalid()
  const subject = { accountId, userId: user.id, sessionId: token.sessionId, amr: state.amr }
  return {
    ...(await accessTokens.issue(subject, expiresAt)),
    refreshToken: successor,
    refreshExpiresIn: Math.floor((expiresAt - now) / 1000),
    user: toClientUser(user),
  }
}

/** Replaces a session's latest token by its successor; returns when the successor expires. */
async function useUp(
  services: SessionsServices,
  call: Call,
  { token, text, successor }: { token: RefreshToken; text: string; successor: string },
  state: SessionState,
): Promise<number> {
  const { repository, events, clock, sessionTtlSeconds, refreshLimit } = services
  const { sessionId } = token
  const now = clock()
  const hash = hashOpaqueToken(text)
  if (hash !== state.refreshTokenHash || state.expiresAt <= now) throw invalid()
  const expiresAt = Math.min(now + sessionTtlSeconds * 1000, state.endsAt)
  const isUsed = await repository.sessions.rotateRefreshToken(call.accountId, sessionId, hash, {
    successorHash: hashOpaqueToken(successor),
    usedAt: now,
    expiresAt,
    ...countRefresh(state, refreshLimit, now),
  })
  if (isUsed) {
    const userId = state.user.user.id
    events.emitUnrecorded({ ...originOf(call), userId, sessionId })
    return expiresAt
  }
  // Another request has just used it, or the session has ended.
  const latest = await repository.sessions.find(call.accountId, sessionId)
  if (latest === undefined) throw invalid()
  return reuse(services, call, { token, successor }, latest, clock())
}

/** Allows a second use within the window; after it the session ends. Returns when the successor expires. */
async function reuse(
  services: SessionsServices,
  call: Call,
  { token, successor }: { token: RefreshToken; successor: string },
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
  const { sessionId } = token
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
