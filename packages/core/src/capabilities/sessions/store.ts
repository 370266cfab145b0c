import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

export interface NewSessionRecord {
  id: string
  userId: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
  createdAt: number
  expiresAt: number
  refreshTokenHash: string
  /** Until when the session can be kept alive by use */
  endsAt: number
  /** With a refresh token, gives its successor */
  successorSeed: string
}

/** What else a sign-in asks of the write of its session. */
export interface SessionConditions {
  /**
   * When the user's tokens were last revoked, as of the look-up of what was proved. A sign-in by something that ends while
   * the password stays the same says it: a passkey, an identity. @default not compared
   */
  tokensNotBefore?: number | undefined
}

export interface SessionRecord {
  id: string
  amr: string[]
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

/** What refreshing a session needs to know of it. */
export interface SessionState {
  amr: string[]
  user: VersionedUser
  isAccountDisabled: boolean
  expiresAt: number
  endsAt: number
  successorSeed: string
  /** Of its latest refresh token */
  refreshTokenHash: string
  /** How often it has been refreshed: the position of its latest token */
  refreshes: number
  refreshedAt: number | null
  /** How many of the refreshes were in the window that ends then */
  windowRefreshes: number
  windowEndsAt: number
}

export interface RefreshRotation {
  successorHash: string
  usedAt: number
  expiresAt: number
  windowRefreshes: number
  windowEndsAt: number
}

export interface SessionStore {
  /**
   * Answers false, and stores nothing, when the user is gone, inactive, or no more as it was compared; `over_limit` when the
   * session is stored, and the user has more than there may be now, perhaps.
   */
  create(
    accountId: string,
    session: NewSessionRecord,
    passwordHash: string | null,
    event: NewEvent<'user.logged_in'>,
    conditions?: SessionConditions,
  ): Promise<boolean | 'over_limit'>
  /**
   * Ends the sessions beyond the limit that were not used for the longest time, some at a time, but never the one that was
   * opened just now; the event is of their ids, and there is none where there was none too many.
   */
  endOldest(
    accountId: string,
    userId: string,
    openedId: string,
    eventOf: (sessionIds: string[]) => NewEvent<'session.revoked'>,
  ): Promise<NewEvent<'session.revoked'> | undefined>
  list(accountId: string, userId: string, now: number): Promise<SessionRecord[]>
  /** Expired ones too. */
  find(accountId: string, sessionId: string): Promise<SessionState | undefined>
  /** Puts the successor in the place of the latest token, if it is this one; of several at once, one succeeds. */
  rotateRefreshToken(
    accountId: string,
    sessionId: string,
    hash: string,
    rotation: RefreshRotation,
  ): Promise<boolean>
  /** Ends one session of a user; answers whether there was one. */
  delete(
    accountId: string,
    userId: string,
    sessionId: string,
    event: NewEvent<'session.revoked' | 'session.reuse_detected' | 'user.logged_out'>,
  ): Promise<boolean>
  /** Ends every session of a user; the event is of their ids, and there is none where there was no session. */
  deleteAll(
    accountId: string,
    userId: string,
    eventOf: (sessionIds: string[]) => NewEvent<'session.revoked'>,
  ): Promise<NewEvent<'session.revoked'> | undefined>
}
