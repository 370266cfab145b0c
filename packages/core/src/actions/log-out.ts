import type { z } from 'zod'
import { hashOpaqueToken } from '../security/opaque-token.ts'
import type { refreshSchema } from './refresh-session.ts'
import type { Services } from './services.ts'

/** Ends the session of a refresh token. One that is not known has nothing to end, and that is no error. */
export async function logOut(
  { repository, events }: Services,
  accountId: string,
  { refresh_token }: z.output<typeof refreshSchema>,
): Promise<void> {
  const state = await repository.findRefreshToken(accountId, hashOpaqueToken(refresh_token))
  if (state === undefined) return
  const { sessionId, user } = state
  const userId = user.user.id
  if (await repository.deleteSession(accountId, userId, sessionId)) {
    events.emit('user.logged_out', { accountId, user: user.user, sessionId })
  }
}
