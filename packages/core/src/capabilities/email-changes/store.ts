import type { HttpErrorCode } from '../../base/errors.ts'
import type { StoredUser, VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { ProofEvents } from '../users/proof-events.ts'
import type { UserStore } from '../users/store.ts'

// Times are milliseconds since the epoch.

export interface NewEmailChange {
  /** The new address */
  email: string
  /** Of the token that is mailed to the new address */
  confirmHash: string
  confirmExpiresAt: number
  /** Of the token that is mailed to the present address */
  undoHash: string
  undoExpiresAt: number
}

export type RequestOutcome =
  | { user: StoredUser; event: NewEvent<'user.email_change_requested'> }
  | 'user_not_found'
  | 'user_inactive'
  | 'email_unchanged'

/** A change that waits for its confirmation */
export interface OpenEmailChange {
  userId: string
  /** The new address */
  email: string
  /** The address that the user had at the request */
  formerEmail: string
}

/** A change that can be cancelled or taken back */
export interface UndoableEmailChange {
  userId: string
  /** The address before the change */
  email: string
  isConfirmed: boolean
}

export interface UndoEvents extends ProofEvents {
  passwordExpired: NewEvent<'user.password_expired'>
}

/** The result of a change, and the events in addition to that of the change */
export interface ChangedEmail {
  changed: VersionedUser
  told: NewEvent[]
}

type Replacement = Parameters<UserStore['replace']>

export interface EmailChangeStore {
  /** Stores a change; an earlier one that is not confirmed ends. */
  request(
    accountId: string,
    userId: string,
    change: NewEmailChange,
    eventOf: (user: StoredUser) => NewEvent<'user.email_change_requested'>,
  ): Promise<RequestOutcome>
  findOpen(
    accountId: string,
    confirmHash: string,
    now: number,
  ): Promise<OpenEmailChange | undefined>
  /**
   * Uses up the token, replaces the user, and marks the new address as verified. If the user's address was never verified
   * before, all earlier credentials except the password end. Of several concurrent calls one succeeds.
   */
  confirm(
    replacement: Replacement,
    confirmHash: string,
    events: ProofEvents,
  ): Promise<ChangedEmail | HttpErrorCode>
  findUndoable(
    accountId: string,
    undoHash: string,
    now: number,
  ): Promise<UndoableEmailChange | undefined>
  /** Ends a change that is not confirmed. Returns undefined when there is none. */
  cancel(
    accountId: string,
    userId: string,
    undoHash: string,
    eventOf: (user: StoredUser) => NewEvent<'user.email_change_cancelled'>,
  ): Promise<NewEvent | undefined>
  /**
   * Replaces the user, marks the former address as verified, ends every credential but the password, makes the password
   * expire, and ends later changes of the address.
   */
  undo(
    replacement: Replacement,
    undoHash: string,
    events: UndoEvents,
  ): Promise<ChangedEmail | HttpErrorCode>
}
