import { z } from 'zod'
import { codePoints } from '../domain/input.ts'
import { ClienteleError } from '../errors.ts'
import type { RefreshTokenState } from '../repository.ts'
import { deriveSuccessor, hashOpaqueToken } from '../security/opaque-token.ts'
import type { SignedIn } from './open-session.ts'
import type { Services } from './services.ts'

export const refreshSchema = z
  .strictObject({
    refresh_token: codePoints(z.string(), 1, 200).meta({
      examples: ['Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY'],
    }),
  })
  .meta({ id: 'Refresh' })

/**
 * Uses a refresh token up: the session goes on with its successor and a new access token. A token that is used twice
 * within the reuse window gives the same successor again, which is what a client needs whose answer was lost or whose
 * tabs refreshed at once; used after it, it has been stolen, by its holder or from it, and the session ends.
 *
 * @throws ClienteleError `refresh_token_invalid`
 */
export async function refreshSession(
  services: Services,
  accountId: string,
  { refresh_token }: z.output<typeof refreshSchema>,
): Promise<SignedIn> {
  const { repository, accessTokens, events, clock, sessionTtlSeconds } = services
  const now = clock()
  const hash = hashOpaqueToken(refresh_token)
  const state = await repository.findRefreshToken(accountId, hash)
  if (state === undefined || !state.user.user.is_active || state.isAccountDisabled) throw invalid()
  const { sessionId, amr, successorSeed } = state
  const { user } = state.user
  const successor = deriveSuccessor(refresh_token, successorSeed)
  // Of a token that was used, what its successor got then.
  const expiresAt = Math.min((state.usedAt ?? now) + sessionTtlSeconds * 1000, state.sessionEndsAt)
  if (state.usedAt !== null) {
    // Before its own expiry is asked: a thief's use is found out however late the owner comes.
    await refuseReuse(services, accountId, state, now)
    if (expiresAt <= now) throw invalid()
  } else if (state.expiresAt <= now) {
    throw invalid()
  } else {
    const rotation = {
      sessionId,
      successorHash: hashOpaqueToken(successor),
      usedAt: now,
      expiresAt,
    }
    if (await repository.rotateRefreshToken(accountId, hash, rotation)) {
      events.emit('session.refreshed', { accountId, userId: user.id, sessionId })
    } else {
      const latest = await repository.findRefreshToken(accountId, hash)
      if (latest === undefined || latest.usedAt === null) throw invalid()
      await refuseReuse(services, accountId, latest, clock())
    }
  }
  return {
    ...(await accessTokens.issue({ accountId, userId: user.id, sessionId, amr }, expiresAt)),
    refresh_token: successor,
    refresh_expires_in: Math.floor((expiresAt - now) / 1000),
    user,
  }
}

/** Lets a second use pass within the window; after it the session ends. */
async function refuseReuse(
  { repository, events, refreshReuseSeconds }: Services,
  accountId: string,
  { usedAt, sessionId, user: { user } }: RefreshTokenState,
  now: number,
): Promise<void> {
  if (usedAt !== null && now - usedAt <= refreshReuseSeconds * 1000) return
  if (await repository.deleteSession(accountId, user.id, sessionId)) {
    events.emit('session.reuse_detected', { accountId, userId: user.id, sessionId })
  }
  throw invalid()
}

function invalid(): ClienteleError {
  return new ClienteleError('refresh_token_invalid')
}
