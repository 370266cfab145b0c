import type { EmailTokenPurpose } from '../email-tokens/store.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { StoredEvent } from '../events/store.ts'
import type { NewReply } from '../idempotency/store.ts'

// Times are milliseconds since the epoch.

/** What was mailed to sign in, to prove an address, to change it, or to invite */
export type MailedPurpose =
  | EmailTokenPurpose
  | 'invitation'
  | 'sign_in_code'
  | 'email_change'
  | 'email_change_notice'

/** Addresses that are stored in addition to the user's own */
export interface KeptEmails {
  /** The user's address, if it was verified */
  verified: { email: string; verifiedAt: number } | null
  /** The user's former addresses, a thousand at most */
  former: string[]
  hasMoreFormer: boolean
  /** The addresses of e-mail tokens and codes that are not used up */
  mailed: { purpose: MailedPurpose; email: string; expiresAt: number }[]
}

export interface PersonEventsRequest {
  /** After this position of the account's feed */
  after: number
  limit: number
}

export interface PersonEventsPage {
  events: StoredEvent[]
  position: number
  hasMore: boolean
}

/** The result of an erasure. */
export interface ErasedRows {
  /** The time of the event */
  erasedAt: number
  /** How many rows were deleted, by table */
  removed: Record<string, number>
  retained: { what: string; why: string }[]
}

export interface ErasureRequest<Answer> {
  /** Runs the last transaction, which does not wait for promises. What comes before it may take long */
  inTurn<T>(last: () => Promise<T>): Promise<T>
  /** Called when no more can be written for the user, so that its time is that from which all is revoked */
  eventOf(): NewEvent<'user.erased'>
  /** The keys under which failed attempts with these addresses are counted */
  countKeysOf(emails: readonly string[]): string[]
  /** Makes the response, which is stored with the reply */
  toAnswer(erased: ErasedRows): Answer
}

export interface PersonalDataStore {
  findEmails(accountId: string, userId: string): Promise<KeptEmails>
  /**
   * Reads the events about a person, in the order of the feed: those about the user, and failed sign-ins and requested
   * resets with one of the user's addresses that had no user at the time.
   */
  readEvents(
    accountId: string,
    userId: string,
    request: PersonEventsRequest,
  ): Promise<PersonEventsPage>
  /**
   * Deletes the user and removes the person from the rows that stay, in one transaction. Returns undefined, and changes
   * nothing, when there is no such user.
   *
   * @throws ClienteleError `idempotency_in_progress` with a reply
   */
  erase<Answer>(
    accountId: string,
    userId: string,
    request: ErasureRequest<Answer>,
    reply?: NewReply,
  ): Promise<Answer | undefined>
}
