import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { ComparedFactors } from '../users/store.ts'

// Times are milliseconds since the epoch.

export interface NewSessionRecord {
  id: string
  userId: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
  createdAt: number
  expiresAt: number
  refreshTokenHash: string
  /** Until when use can keep the session alive */
  endsAt: number
  /** With a refresh token, derives its successor */
  successorSeed: string
}

/**
 * A credential that was shown, and can be removed while hooks are asked; of a second step its answered challenge, which ends
 * with what was shown.
 */
export type ShownCredential =
  | { passkeyId: string }
  | { identityId: string; issuerId: string; issuerUpdatedAt: number }
  | ShownDevice
  | { challengeHash: string }

/** The token of a remembered device, and the next one, which takes its place once the session is written. */
export interface ShownDevice {
  deviceId: string
  tokenHash: string
  nextHash: string
  usedAt: number
}

/** Further conditions of a sign-in for storing its session. */
export interface SessionConditions {
  /** It must be there still. @default a password, which is compared by its hash, or a code */
  shown?: ShownCredential | undefined
  /**
   * When the user's tokens were last revoked, as read with the checked credential. Sign-ins by a credential that can
   * end while the password stays, such as a passkey or an identity, set it. @default not compared
   */
  tokensNotBefore?: number | undefined
  /** The text of the account's policy that allowed the sign-in. @default null: it has none */
  policy?: string | null | undefined
  /** The version of the user that hooks were asked about. @default not compared */
  version?: number | undefined
}

export interface SessionRecord {
  id: string
  amr: string[]
  /** Who acts as the user; null: the user */
  impersonatedBy: string | null
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

/** The data that refreshing a session needs. */
export interface SessionState {
  amr: string[]
  /** When its user last showed a credential */
  authenticatedAt: number
  user: VersionedUser
  isAccountDisabled: boolean
  policy: StoredPolicy
  /** When it was opened or refreshed last */
  lastUsedAt: number
  expiresAt: number
  endsAt: number
  successorSeed: string
  /** The number of its latest refresh token */
  refreshTokenHash: string
  /** How often it was refreshed: the number of its latest token */
  refreshes: number
  refreshedAt: number | null
  /** The number of refreshes in the window that ends at `windowEndsAt` */
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

/** What a user has shown to continue a session */
export interface Reauthentication {
  userId: string
  amr: string[]
  /** The hash that the password was compared with: the user must still have it. Null: no password was shown */
  passwordHash: string | null
  /** The second factors that a code was shown of: the user must still have them. @default no code was shown */
  factors?: ComparedFactors | undefined
  /** The version of the user that hooks were asked about. @default not compared */
  version?: number | undefined
  event: NewEvent<'user.reauthenticated'>
}

export interface SessionStore {
  /**
   * Returns false, and stores nothing, when the user is gone, inactive, or changed since the check, or the account's
   * policy has changed; `over_limit` when
   * the session is stored and the user may have too many sessions now.
   */
  create(
    accountId: string,
    session: NewSessionRecord,
    passwordHash: string | null,
    event: NewEvent<'user.logged_in'>,
    conditions?: SessionConditions,
  ): Promise<boolean | 'over_limit'>
  /**
   * Ends surplus sessions that were unused for the longest time, some at a time, but never the one that was opened just
   * now. The event lists their ids; without surplus sessions there is no event.
   */
  endOldest(
    accountId: string,
    userId: string,
    openedId: string,
    now: number,
    eventOf: (sessionIds: string[]) => NewEvent<'session.revoked'>,
  ): Promise<NewEvent<'session.revoked'> | undefined>
  list(accountId: string, userId: string, now: number): Promise<SessionRecord[]>
  /** Expired ones, too. */
  find(accountId: string, sessionId: string): Promise<SessionState | undefined>
  /**
   * Replaces the latest token by its successor if it is this one; of several concurrent calls one succeeds.
   *
   * @param version the version of the user that hooks were asked about: it must be the same still. @default not compared
   */
  rotateRefreshToken(
    accountId: string,
    sessionId: string,
    hash: string,
    rotation: RefreshRotation,
    version?: number,
  ): Promise<boolean>
  /** The same, and notes what the user has shown at `rotation.usedAt`. */
  reauthenticate(
    accountId: string,
    sessionId: string,
    hash: string,
    rotation: RefreshRotation,
    shown: Reauthentication,
  ): Promise<boolean>
  /** Ends one session of a user; returns whether there was one. */
  delete(
    accountId: string,
    userId: string,
    sessionId: string,
    event: NewEvent<'session.revoked' | 'session.reuse_detected' | 'user.logged_out'>,
  ): Promise<boolean>
  /** Ends every session of a user. The event lists their ids; without sessions there is no event. */
  deleteAll(
    accountId: string,
    userId: string,
    eventOf: (sessionIds: string[]) => NewEvent<'session.revoked'>,
  ): Promise<NewEvent<'session.revoked'> | undefined>
}
