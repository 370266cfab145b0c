import type { z } from 'zod'
import { byUser, type Call, originOf } from '../call.ts'
import { hashOpaqueToken } from '../crypto/opaque-token.ts'
import type { Services } from '../services.ts'
import type { refreshSchema } from './refresh-session.ts'
import { isMacValid, readRefreshToken } from './refresh-token.ts'

/** Ends the session of a refresh token. One that is not known has nothing to end, and that is no error. */
export async function logOut(
  { repository, events }: Services,
  call: Call,
  { refreshToken }: z.output<typeof refreshSchema>,
): Promise<void> {
  const { accountId } = call
  const token = readRefreshToken(refreshToken)
  if (token === undefined) return
  const { sessionId, position } = token
  const state = await repository.sessions.find(accountId, sessionId)
  if (state === undefined) return
  const isLatest = hashOpaqueToken(refreshToken) === state.refreshTokenHash
  const wasGiven = position < state.refreshes && isMacValid(token, state.successorSeed)
  if (!isLatest && !wasGiven) return
  const { user } = state
  const userId = user.user.id
  if (await repository.sessions.delete(accountId, userId, sessionId)) {
    events.emit('user.logged_out', {
      ...originOf(byUser(call, userId)),
      user: user.user,
      sessionId,
    })
  }
}
