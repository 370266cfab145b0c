import type { Actor } from '../call.ts'
import type { EventType, SubjectType } from './event-types.ts'
import type { NewEvent } from './new-event.ts'

/** An event as it is kept. */
export interface StoredEvent {
  /** Its place in the account's feed: 1, 2, 3 … */
  position: number
  id: string
  type: EventType
  /** Milliseconds since the epoch */
  createdAt: number
  actor: Actor
  requestId: string
  subject: { type: SubjectType; id: string | null }
  /** JSON, named as on the wire */
  data: string
  /** JSON of an `EventPerson`; null where there is none, or the person was erased */
  person: string | null
}

export interface FeedRequest {
  /** Behind this position */
  after: number
  limit: number
  /** Undefined: all */
  types?: readonly EventType[] | undefined
  /** Those about this user; undefined: all */
  userId?: string | undefined
}

export interface FeedPage {
  events: StoredEvent[]
  /** Up to here everything has been looked at: the next request begins behind it. */
  position: number
  /** Whether there is more to look at */
  hasMore: boolean
  /** What is up to this position is kept no more. */
  purgedPosition: number
}

/** What has changed in the feed of an account. */
export interface FeedHead {
  accountId: string
  lastPosition: number
  /** Whether there are events that were written and have no place yet */
  hasPending: boolean
}

export interface EventStore {
  /** Writes an event that tells of no change. */
  append(accountId: string, event: NewEvent): Promise<void>
  /**
   * Reads on in the feed. Events get their places here, after their commit and in the order of their writing, so that
   * none can come to stand before a place that was read already.
   */
  read(accountId: string, request: FeedRequest): Promise<FeedPage>
  /** The ends of several feeds. */
  findHeads(accountIds: readonly string[]): Promise<FeedHead[]>
  /** Deletes some of the oldest events that were written before that time. Answers how many. */
  purge(accountId: string, before: number): Promise<number>
}
