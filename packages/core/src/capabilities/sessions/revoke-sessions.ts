import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { SessionsServices } from './services.ts'

/**
 * Ends one session of a user and revokes its tokens.
 *
 * @throws ClienteleError `session_not_found`
 */
export async function revokeSession(
  services: SessionsServices,
  call: Call,
  userId: string,
  sessionId: string,
): Promise<void> {
  const { repository, events } = services
  const event = newEvent(services, call, 'session.revoked', userId, { sessionIds: [sessionId] })
  if (!(await repository.sessions.delete(call.accountId, userId, sessionId, event))) {
    throw new ClienteleError('session_not_found')
  }
  events.emit(event)
}

/**
 * Ends every session of a user.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function revokeSessions(
  services: SessionsServices,
  call: Call,
  userId: string,
): Promise<void> {
  const event = await services.repository.sessions.deleteAll(call.accountId, userId, (sessionIds) =>
    newEvent(services, call, 'session.revoked', userId, { sessionIds }),
  )
  if (event === undefined) await findUser(services, call, userId)
  else services.events.emit(event)
}
