import type { StoredUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { ProofEvents } from '../users/proof-events.ts'
import type { CreateUserOutcome } from '../users/store.ts'

// Times are milliseconds since the epoch.

export interface NewInvitation {
  hash: string
  expiresAt: number
}

export interface InviteEvents {
  created: NewEvent<'user.created'>
  invited: NewEvent<'user.invited'>
}

export interface AcceptEvents extends ProofEvents {
  updated: NewEvent<'user.updated'>
}

export type RenewOutcome =
  | { user: StoredUser; event: NewEvent<'user.invited'> }
  | 'user_not_found'
  | 'user_inactive'
  | 'invitation_accepted'

export interface InvitationStore {
  /** Stores a user without a password, and their invitation. */
  create(
    accountId: string,
    user: StoredUser,
    invitation: NewInvitation,
    events: InviteEvents,
    reply?: NewReply,
  ): Promise<CreateUserOutcome>
  /**
   * Invites an existing user, at the present address; an earlier invitation ends. Refuses a user who has a password, a
   * session, or an identity or a passkey that has been used.
   */
  renew(
    accountId: string,
    userId: string,
    invitation: NewInvitation,
    eventOf: (user: StoredUser) => NewEvent<'user.invited'>,
  ): Promise<RenewOutcome>
  /** Returns the user's id. */
  find(accountId: string, hash: string, now: number): Promise<string | undefined>
  /**
   * Uses up an invitation: sets the password, and marks the address as verified. If it was not verified before, all
   * earlier credentials of the user end. Of several concurrent calls one succeeds. Refuses a user who is inactive, has
   * a password, or has another address by now.
   *
   * @param passwordHash null: the user gets no password
   */
  accept(
    accountId: string,
    hash: string,
    passwordHash: string | null,
    now: number,
    events: AcceptEvents,
  ): Promise<{ user: StoredUser; told: NewEvent[] } | undefined>
}
