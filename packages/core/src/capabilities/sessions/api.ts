import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { listSessions, type Session } from './list-sessions.ts'
import { logOut } from './log-out.ts'
import type { SignedIn } from './open-session.ts'
import { refreshSchema, refreshSession } from './refresh-session.ts'
import { revokeSession, revokeSessions } from './revoke-sessions.ts'
import type { SessionsServices } from './services.ts'

/**
 * The sessions of a user.
 *
 * @example
 * const [oldest] = await clientele.sessions.list(accountId, userId)
 * if (oldest !== undefined) await clientele.sessions.revoke(accountId, userId, oldest.id)
 */
export interface SessionsApi {
  /**
   * Lists a user's live sessions, oldest first.
   *
   * @throws ClienteleError `user_not_found`
   */
  list(call: CallInput, userId: string): Promise<Session[]>
  /**
   * Ends one session of a user and revokes its tokens.
   *
   * @throws ClienteleError `session_not_found`
   */
  revoke(call: CallInput, userId: string, sessionId: string): Promise<void>
  /**
   * Ends every session of a user and revokes their tokens.
   *
   * @throws ClienteleError `user_not_found`
   */
  revokeAll(call: CallInput, userId: string): Promise<void>
}

/**
 * Refreshing a session and ending it by its refresh token; a part of `clientele.auth`.
 *
 * @example
 * const next = await clientele.auth.refresh(accountId, { refreshToken: token })
 * await clientele.auth.logOut(accountId, { refreshToken: next.refreshToken })
 */
export interface SessionTokensApi {
  /**
   * Uses up a refresh token: returns a new access token and the next refresh token. A token that is used again within
   * the reuse window (10 seconds by default) yields the same successor; after the window, the session ends.
   *
   * @throws ClienteleError `refresh_token_invalid`; `rate_limited` when the session was refreshed too often
   */
  refresh(call: CallInput, input: { refreshToken: string }): Promise<SignedIn>
  /**
   * Ends the session of a refresh token and revokes its tokens. An unknown token is not an error.
   *
   * @throws ClienteleError `validation_failed`
   */
  logOut(call: CallInput, input: { refreshToken: string }): Promise<void>
}

export function createSessionsApi(services: SessionsServices): {
  sessions: SessionsApi
  auth: SessionTokensApi
} {
  return {
    sessions: {
      list: async (call, userId) =>
        listSessions(services, readCall(services, call), readId({ userId })),
      revoke: async (call, userId, sessionId) =>
        revokeSession(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ sessionId }),
        ),
      revokeAll: async (call, userId) =>
        revokeSessions(services, readCall(services, call), readId({ userId })),
    },
    auth: {
      refresh: async (call, input) =>
        refreshSession(services, readCall(services, call), parseInput(refreshSchema, input)),
      logOut: async (call, input) =>
        logOut(services, readCall(services, call), parseInput(refreshSchema, input)),
    },
  }
}
