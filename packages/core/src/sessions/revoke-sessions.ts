import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import { findUser } from '../users/find-user.ts'

/**
 * Ends one session of a user, and with it its tokens.
 *
 * @throws ClienteleError `session_not_found`
 */
export async function revokeSession(
  { repository, events }: Services,
  call: Call,
  userId: string,
  sessionId: string,
): Promise<void> {
  if (!(await repository.sessions.delete(call.accountId, userId, sessionId))) {
    throw new ClienteleError('session_not_found')
  }
  events.emit('session.revoked', { ...originOf(call), userId, sessionId })
}

/**
 * Ends every session of a user.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function revokeSessions(
  services: Services,
  call: Call,
  userId: string,
): Promise<void> {
  const sessionIds = await services.repository.sessions.deleteAll(call.accountId, userId)
  if (sessionIds.length === 0) await findUser(services, call, userId)
  for (const sessionId of sessionIds) {
    services.events.emit('session.revoked', { ...originOf(call), userId, sessionId })
  }
}
