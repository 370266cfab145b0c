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

const refreshShape = { refreshToken: givenRefreshTokenSchema }
export const refreshSchema = z.strictObject(refreshShape)
export const refreshWireSchema = wireObject(refreshShape, { id: 'Refresh' })

/**
 * Uses a refresh token up: the session goes on with its successor and a new access token. A token that is used twice
 * within the reuse window gives the same successor again, which is what a client needs whose answer was lost or whose
 * tabs refreshed at once; used after it, it has been stolen, by its holder or from it, and the session ends.
 *
 * @throws ClienteleError `refresh_token_invalid`; `rate_limited` when the session has been refreshed too often
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

/** Puts the successor in the place of a session's latest token; answers with when it expires. */
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
  // Another has used it at the same moment, or the session has ended.
  const latest = await repository.sessions.find(call.accountId, sessionId)
  if (latest === undefined) throw invalid()
  return reuse(services, call, { token, successor }, latest, clock())
}

/** Lets a second use pass within the window; after it the session ends. Answers with when the successor expires. */
async function reuse(
  services: SessionsServices,
  call: Call,
  { token, successor }: { token: RefreshToken; successor: string },
  { refreshTokenHash, refreshes, refreshedAt, expiresAt, successorSeed, user }: SessionState,
  now: number,
): Promise<number> {
  const { repository, events, refreshReuseSeconds } = services
  const age = refreshedAt === null ? Number.NaN : now - refreshedAt
  // A use that is yet to come is none of a moment ago: the clock has gone back. Those of two processes may differ a little.
  const isRecent = age >= -leewaySeconds * 1000 && age <= refreshReuseSeconds * 1000
  if (isRecent && hashOpaqueToken(successor) === refreshTokenHash) return expiresAt
  // Before its expiry is asked: a thief's use is found out however late the owner comes.
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
