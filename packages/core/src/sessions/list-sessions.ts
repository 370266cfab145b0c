import type { Call } from '../call.ts'
import type { Services } from '../services.ts'
import { findUser } from '../users/find-user.ts'

/** A session as callers see it. */
export interface Session {
  id: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
  /** ISO 8601, UTC; so are all times here */
  created_at: string
  last_used_at: string
  expires_at: string
}

/**
 * Lists a user's live sessions, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listSessions(
  services: Services,
  call: Call,
  userId: string,
): Promise<Session[]> {
  const { repository, clock } = services
  const sessions = await repository.sessions.list(call.accountId, userId, clock())
  if (sessions.length === 0) await findUser(services, call, userId)
  return sessions.map(({ id, amr, createdAt, lastUsedAt, expiresAt }) => ({
    id,
    amr,
    created_at: new Date(createdAt).toISOString(),
    last_used_at: new Date(lastUsedAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  }))
}
