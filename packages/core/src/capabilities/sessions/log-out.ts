import type { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { isMacValid, readRotatingToken } from '../../base/crypto/rotating-token.ts'
import { newEvent } from '../events/new-event.ts'
import type { refreshSchema } from './refresh-session.ts'
import type { SessionsServices } from './services.ts'

/** Ends the session of a refresh token. An unknown token is not an error. */
export async function logOut(
  services: SessionsServices,
  call: Call,
  { refreshToken }: z.output<typeof refreshSchema>,
): Promise<void> {
  const { repository, events } = services
  const { accountId } = call
  const token = readRotatingToken(refreshToken)
  if (token === undefined) return
  const { ownerId: sessionId, position } = token
  const state = await repository.sessions.find(accountId, sessionId)
  if (state === undefined) return
  const isLatest = hashOpaqueToken(refreshToken) === state.refreshTokenHash
  const wasGiven = position < state.refreshes && isMacValid(token, state.successorSeed)
  if (!isLatest && !wasGiven) return
  const { user } = state.user
  const ofUser = byUser(call, user.id)
  const event = newEvent(services, ofUser, 'user.logged_out', user.id, { sessionId }, { user })
  if (await repository.sessions.delete(accountId, user.id, sessionId, event)) events.emit(event)
}
