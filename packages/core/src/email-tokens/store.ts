import type { NewEvent } from '../events/new-event.ts'
import type { StoredUser } from '../users/stored-user.ts'

// Times are milliseconds since the epoch.

export type EmailTokenPurpose = 'password_reset' | 'email_verification'

export interface NewEmailToken {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  email: string
  expiresAt: number
}

/** What a reset is told by. */
export interface ResetEvents {
  reset: NewEvent<'user.password_reset'>
  /** Makes the event of an address that was not known to be the user's before. */
  verified(user: StoredUser): NewEvent<'user.email_verified'>
}

export interface EmailTokenStore {
  /** Answers false when the user is gone. */
  create(accountId: string, token: NewEmailToken, now: number): Promise<boolean>
  /** Answers with the user's id. */
  find(
    accountId: string,
    hash: string,
    purpose: EmailTokenPurpose,
    now: number,
  ): Promise<string | undefined>
  /**
   * Uses a token up and sets the password; every session, challenge and other e-mail token of the user ends. The token was
   * mailed, so that the address is verified. Answers with the user, and with the event of the address if it was not verified before.
   */
  resetPassword(
    accountId: string,
    hash: string,
    passwordHash: string,
    now: number,
    events: ResetEvents,
  ): Promise<{ user: StoredUser; verified?: NewEvent<'user.email_verified'> } | undefined>
  /** Uses a token up and notes the address as verified, if the user still has it. */
  verifyEmail(
    accountId: string,
    hash: string,
    now: number,
    eventOf: (user: StoredUser) => NewEvent<'user.email_verified'>,
  ): Promise<NewEvent<'user.email_verified'> | undefined>
  /** When the address that the user has now was verified. */
  findVerifiedAt(accountId: string, userId: string): Promise<number | undefined>
}
