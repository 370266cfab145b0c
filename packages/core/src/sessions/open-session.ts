import { byUser, type Call } from '../call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../crypto/opaque-token.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { Services } from '../services.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import type { ClientUser } from '../users/client-user.ts'
import { type StoredUser, toClientUser } from '../users/stored-user.ts'
import { createRefreshToken } from './refresh-token.ts'
import type { SessionConditions } from './store.ts'

/** What signing in answers. */
export interface SignedIn extends IssuedToken {
  refreshToken: string
  /** Seconds */
  refreshExpiresIn: number
  user: ClientUser
}

/** What a sign-in has seen of a user. */
export interface ComparedCredentials extends SessionConditions {
  passwordHash: string | null
}

/**
 * Opens a session for a user who has proved who they are, unless what was compared has changed since.
 *
 * @throws ClienteleError `credentials_invalid`
 */
export async function openSession(
  services: Services,
  call: Call,
  user: StoredUser,
  amr: string[],
  { passwordHash, tokensNotBefore }: ComparedCredentials,
  sessionId: string = services.newId(),
): Promise<SignedIn> {
  const { repository, accessTokens, events, clock } = services
  const { sessionTtlSeconds, sessionMaxSeconds } = services
  const { accountId } = call
  const now = clock()
  const successorSeed = createOpaqueToken()
  const refreshToken = createRefreshToken(sessionId, successorSeed)
  const endsAt = now + sessionMaxSeconds * 1000
  const expiresAt = Math.min(now + sessionTtlSeconds * 1000, endsAt)
  const subject = { accountId, userId: user.id, sessionId, amr }
  const issued = await accessTokens.issue(subject, expiresAt)
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
  if (
    !(await repository.sessions.create(accountId, session, passwordHash, event, {
      tokensNotBefore,
    }))
  ) {
    throw new ClienteleError('credentials_invalid')
  }
  events.emit(event)
  return {
    ...issued,
    refreshToken,
    refreshExpiresIn: Math.floor((expiresAt - now) / 1000),
    user: toClientUser(user),
  }
}
