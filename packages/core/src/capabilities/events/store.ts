import type { Actor } from '../../base/call/call.ts'
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

/** An event with what links it to the one before, where its feed has a chain: see `FeedChain`. */
export interface ChainedEvent extends StoredEvent {
  /** Null: it is from before the chain */
  chain: string | null
  /** Goes into the digest of the person; null where there is none, or the person was erased */
  personSalt: string | null
}

/** The place of the last entry of a feed, or of the last one that is not kept any more. */
export interface ChainEnd {
  position: number
  /** Null: there is no chain at this place */
  chain: string | null
}

export interface ChainEnds {
  /** What is up to here is kept no more */
  beginning: ChainEnd
  end: ChainEnd
}

/** An event that has no link yet. */
export interface PendingEvent extends StoredEvent {
  /** What shows that a process with the key has written it; null: none has */
  seal: string | null
}

/** What is to be written beside an entry. */
export interface LinkedEvent {
  id: string
  position: number
  /** Null: it is from before the chain */
  chain: string | null
  personSalt: string | null
}

/** Links the entries of a feed to each other. */
export interface EventLinker {
  /** Whether a feed that has no chain begins one */
  begins: boolean
  /**
   * Links the next entries, which have their positions, and says what the end is then; null where the chain has not begun.
   * An entry that no process with the key has written gets no link.
   */
  extend(
    accountId: string,
    end: ChainEnd,
    entries: readonly PendingEvent[],
  ): { entries: LinkedEvent[]; chain: string | null }
  /**
   * What the beginning is when the next entries behind it are kept no more; null where none of them has a chain, and
   * undefined where they are not as they were written: they must stay, to be found.
   */
  moveBeginning(
    accountId: string,
    beginning: ChainEnd,
    gone: readonly ChainedEvent[],
  ): string | null | undefined
}

export interface FeedRequest {
  /** Behind this position */
  after: number
  limit: number
  /** Undefined: all */
  types?: readonly EventType[] | undefined
  /** Those about this user; undefined: all */
  userId?: string | undefined
  /** What somebody of this kind did; undefined: all */
  actorType?: Actor['type'] | undefined
  /** Those of this time, in milliseconds since the epoch, and of later; undefined: all */
  since?: number | undefined
}

/** Newest first: up to `before`, the end where it is undefined, and behind `after`. */
export type LatestRequest = Omit<FeedRequest, 'since'> & { before?: number | undefined }

/** Between which places a feed stands. */
export interface FeedEnds {
  lastPosition: number
  /** What is up to this position is kept no more. */
  purgedPosition: number
}

export interface FeedPage extends FeedEnds {
  events: StoredEvent[]
  /** Up to here everything has been looked at: the next request begins behind it. */
  position: number
  /** Whether there is more to look at */
  hasMore: boolean
}

/** As `FeedRequest` */
export type PlacedRequest = Pick<FeedRequest, 'after' | 'limit' | 'types'>

/** As `FeedPage` */
export type PlacedPage = Pick<FeedPage, 'events' | 'position'>

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
  /** Reads on in the feed as `read` does. What is committed and has no place yet may be left out. */
  readPlaced(accountId: string, request: PlacedRequest): Promise<PlacedPage>
  /** Reads back in the feed: `position` of the page is `before` of the next request. */
  readLatest(accountId: string, request: LatestRequest): Promise<FeedPage>
  /** Whether there is such an event, committed. */
  has(accountId: string, eventId: string): Promise<boolean>
  /** The place before all events of that time and later, by their ids; the end, where there is none. */
  findStart(accountId: string, since: number): Promise<number>
  /** The ends of the feed, when all that was committed before the call stands in it. */
  findEnd(accountId: string): Promise<FeedEnds>
  /** Gives what is committed in these accounts its place. Throws where it failed for one of them, after all others. */
  givePlaces(accountIds: readonly string[]): Promise<void>
  /** The ends of several feeds. */
  findHeads(accountIds: readonly string[]): Promise<FeedHead[]>
  /** Deletes some of the oldest events that were written before that time. Answers how many. */
  purge(accountId: string, before: number): Promise<number>
  /** Says how whoever gives places links entries; without it, a feed that has a chain gets no further. */
  linkBy(linker: EventLinker): void
  /** The ends of a feed with their links; undefined where there is no feed yet. */
  findChainEnds(accountId: string): Promise<ChainEnds | undefined>
  /** The next entries behind a position, up to another one, with their links. */
  readChained(
    accountId: string,
    range: { after: number; until: number; limit: number },
  ): Promise<ChainedEvent[]>
}
