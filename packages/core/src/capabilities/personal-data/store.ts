import type { EmailTokenPurpose } from '../email-tokens/store.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { StoredEvent } from '../events/store.ts'
import type { NewReply } from '../idempotency/store.ts'

// Times are milliseconds since the epoch.

/** Addresses that are kept beside the user's own */
export interface KeptEmails {
  /** The user's address where it was verified */
  verified: { email: string; verifiedAt: number } | null
  /** The addresses that the user had before */
  former: string[]
  /** Where tokens were mailed that are not used up */
  mailed: { purpose: EmailTokenPurpose; email: string; expiresAt: number }[]
}

export interface PersonEventsRequest {
  /** Behind this place of the account's feed */
  after: number
  limit: number
}

export interface PersonEventsPage {
  events: StoredEvent[]
  position: number
  hasMore: boolean
}

/** What an erasure did. */
export interface ErasedRows {
  /** How many rows went, by table */
  removed: Record<string, number>
  retained: { what: string; why: string }[]
}

export interface ErasureRequest<Answer> {
  event: NewEvent<'user.erased'>
  /** Under which keys failed attempts at somebody with these addresses are counted */
  countKeysOf(emails: readonly string[]): string[]
  /** Makes the answer, which is kept with the reply */
  toAnswer(erased: ErasedRows): Answer
}

export interface PersonalDataStore {
  findEmails(accountId: string, userId: string): Promise<KeptEmails>
  /**
   * Reads the events about a person, in the order of the feed: those about the user, and failed sign-ins and asked-for
   * resets with an address of the user's that was nobody's then.
   */
  readEvents(
    accountId: string,
    userId: string,
    request: PersonEventsRequest,
  ): Promise<PersonEventsPage>
  /**
   * Deletes the user, and takes the person out of whatever stays, in one transaction. Answers with undefined, and changes
   * nothing, where there is no such user.
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
