import type { StoredUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { FirstProofEvents } from '../users/first-proof-events.ts'

// Times are milliseconds since the epoch.

export type EmailTokenPurpose = 'password_reset' | 'email_verification'

export interface NewEmailToken {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  email: string
  expiresAt: number
}

/** What a proof of an address is told by. */
export interface ProofEvents extends FirstProofEvents {
  verified(user: StoredUser, isFirst: boolean): NewEvent<'user.email_verified'>
}

export interface ResetEvents extends ProofEvents {
  reset: NewEvent<'user.password_reset'>
}

export interface EmailTokenStore {
  /** Answers false when the user is gone. */
  create(accountId: string, token: NewEmailToken): Promise<boolean>
  /** Answers with the user's id. */
  find(
    accountId: string,
    hash: string,
    purpose: EmailTokenPurpose,
    now: number,
  ): Promise<string | undefined>
  /**
   * Uses a token up and sets the password; every session, challenge and other e-mail token of the user ends. The token was
   * mailed, so that the address is verified. Where it was not before, second factors, passkeys and identities end, too.
   * Answers with the user, and with the events besides that of the reset.
   */
  resetPassword(
    accountId: string,
    hash: string,
    passwordHash: string,
    now: number,
    events: ResetEvents,
  ): Promise<{ user: StoredUser; told: NewEvent[] } | undefined>
  /**
   * Uses a token up and notes the address as verified, if the user still has it. Where it was not before, all that lets
   * the user in but the password ends. Answers with the events.
   */
  verifyEmail(
    accountId: string,
    hash: string,
    now: number,
    events: ProofEvents,
  ): Promise<NewEvent[] | undefined>
  /** When the address that the user has now was verified. */
  findVerifiedAt(accountId: string, userId: string): Promise<number | undefined>
}
