import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import type { SessionsServices } from './services.ts'
import type { SessionRecord } from './store.ts'

/** A session in a response. */
export interface Session {
  id: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
  /** Who acts as the user, as `auth.impersonate` was told; null: the user */
  impersonatedBy: string | null
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

/**
 * Lists a user's live sessions, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listSessions(
  services: SessionsServices,
  call: Call,
  userId: string,
): Promise<Session[]> {
  const { repository, clock } = services
  const sessions = await repository.sessions.list(call.accountId, userId, clock())
  if (sessions.length === 0) await findUser(services, call, userId)
  return sessions.map(toSession)
}

/** The public form of a stored session. */
export function toSession({
  createdAt,
  lastUsedAt,
  expiresAt,
  ...session
}: SessionRecord): Session {
  return {
    ...session,
    createdAt: new Date(createdAt),
    lastUsedAt: new Date(lastUsedAt),
    expiresAt: new Date(expiresAt),
  }
}
