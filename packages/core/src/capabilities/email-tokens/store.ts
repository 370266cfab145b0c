import type { StoredUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { ProofEvents } from '../users/proof-events.ts'

// Times are milliseconds since the epoch.

export type EmailTokenPurpose = 'password_reset' | 'email_verification'

export interface NewEmailToken {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  email: string
  expiresAt: number
}

export interface ResetEvents extends ProofEvents {
  reset: NewEvent<'user.password_reset'>
}

export interface EmailTokenStore {
  /** Returns false, and writes nothing, when the user is gone or inactive, or has another address. */
  create(accountId: string, token: NewEmailToken): Promise<boolean>
  /** Ends the user's tokens of this purpose before the latest hundred; `newestEnd`: when the latest one expires. */
  endSurplus(
    accountId: string,
    userId: string,
    purpose: EmailTokenPurpose,
    newestEnd: number,
  ): Promise<void>
  /** Returns the user's id. */
  find(
    accountId: string,
    hash: string,
    purpose: EmailTokenPurpose,
    now: number,
  ): Promise<string | undefined>
  /**
   * Uses up a token and sets the password; every session, challenge and other e-mail token of the user ends. The token
   * was e-mailed, so the address becomes verified. If it was not verified before, second factors, passkeys and
   * identities end, too. Returns the user, and the events in addition to that of the reset.
   */
  resetPassword(
    accountId: string,
    hash: string,
    passwordHash: string,
    now: number,
    events: ResetEvents,
  ): Promise<{ user: StoredUser; told: NewEvent[] } | undefined>
  /**
   * Uses up a token and marks the address as verified, if the user still has it. If it was not verified before, all
   * credentials of the user except the password end. Returns the events.
   */
  verifyEmail(
    accountId: string,
    hash: string,
    now: number,
    events: ProofEvents,
  ): Promise<NewEvent[] | undefined>
  /** When the user's present address was verified. */
  findVerifiedAt(accountId: string, userId: string): Promise<number | undefined>
}
