import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'

// Times are milliseconds since the epoch.

/** A new password in place of an expired one, at the end of a sign-in */
export interface PasswordChange {
  userId: string
  /** The challenge of the sign-in */
  challengeHash: string
  /** The stored text of the expired password */
  expiredHash: string
  passwordHash: string
  /** The version of the user that hooks were asked about. @default not compared */
  version?: number | undefined
}

export interface ExpiredPasswordStore {
  /** Returns undefined if the user is gone, has no password, or one that has expired already. */
  expire(
    accountId: string,
    userId: string,
    event: NewEvent<'user.password_expired'>,
  ): Promise<VersionedUser | undefined>
  /**
   * Stores the new password, and ends what ends with a password, the challenge too. Of several concurrent calls one
   * succeeds. Returns undefined if the user is inactive or gone, has another password by now, or the challenge has ended,
   * or the user is of another version than was asked about.
   */
  change(
    accountId: string,
    change: PasswordChange,
    now: number,
    event: NewEvent<'user.updated'>,
  ): Promise<VersionedUser | undefined>
}
