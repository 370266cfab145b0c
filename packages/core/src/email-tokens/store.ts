import type { NewEvent } from '../events/new-event.ts'
import type { StoredUser, VersionedUser } from '../users/stored-user.ts'

// Times are milliseconds since the epoch.

export type EmailTokenPurpose = 'password_reset' | 'email_verification'

export interface NewEmailToken {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  email: string
  expiresAt: number
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
  /** Uses a token up and sets the password; every session, challenge and other e-mail token of the user ends. */
  resetPassword(
    accountId: string,
    hash: string,
    passwordHash: string,
    now: number,
    event: NewEvent<'user.password_reset'>,
  ): Promise<VersionedUser | undefined>
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
