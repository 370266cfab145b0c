import type { Actor } from '../../base/call/call.ts'
import type { EventType, SubjectType } from './event-types.ts'
import type { NewEvent } from './new-event.ts'

/** A stored event. */
export interface StoredEvent {
  /** Its position in the account's feed: 1, 2, 3 … */
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
  /** JSON of an `EventPerson`; null when there is none, or the person was erased */
  person: string | null
}

/** An event with its links, if its feed has a chain: see `FeedChain`. */
export interface ChainedEvent extends StoredEvent {
  /** Null: it is older than the chain */
  chain: string | null
  /** The salt of the person's digest; null when there is none, or the person was erased */
  personSalt: string | null
}

/** The position of a feed's last entry, or of its last deleted entry. */
export interface ChainEnd {
  position: number
  /** Null: the feed had no chain at this position */
  chain: string | null
}

export interface ChainEnds {
  /** Events up to here have been deleted */
  beginning: ChainEnd
  end: ChainEnd
}

/** An event that is not linked yet. */
export interface PendingEvent extends StoredEvent {
  /** Proves that a process with the key has written it; null: no such proof */
  seal: string | null
}

/** The values to store beside an entry. */
export interface LinkedEvent {
  id: string
  position: number
  /** Null: it is older than the chain */
  chain: string | null
  personSalt: string | null
}

/** Links the entries of a feed. */
export interface EventLinker {
  /** Whether a feed without a chain begins one */
  begins: boolean
  /**
   * Links the next entries, which have their positions, and returns the new end; null when the chain has not begun. An
   * entry that no process with the key has written gets no link.
   */
  extend(
    accountId: string,
    end: ChainEnd,
    entries: readonly PendingEvent[],
  ): { entries: LinkedEvent[]; chain: string | null }
  /**
   * The new beginning when the next entries are deleted; null when none of them has a chain. Undefined when they were
   * tampered with: they must stay as evidence.
   */
  moveBeginning(
    accountId: string,
    beginning: ChainEnd,
    gone: readonly ChainedEvent[],
  ): string | null | undefined
}

export interface FeedRequest {
  /** After this position */
  after: number
  limit: number
  /** Undefined: all */
  types?: readonly EventType[] | undefined
  /** Events about this user; undefined: all */
  userId?: string | undefined
  /** Events by actors of this kind; undefined: all */
  actorType?: Actor['type'] | undefined
  /** Events from this time on, in milliseconds since the epoch; undefined: all */
  since?: number | undefined
  /** Reads events without their persons. @default with them */
  withoutPersons?: boolean | undefined
}

/** Newest first: up to `before` (the end if undefined), and after `after`. */
export type LatestRequest = Omit<FeedRequest, 'since'> & { before?: number | undefined }

/** The first and the last position of a feed. */
export interface FeedEnds {
  lastPosition: number
  /** Events up to this position have been deleted. */
  purgedPosition: number
}

export interface FeedPage extends FeedEnds {
  events: StoredEvent[]
  /** Up to here everything has been checked: the next request begins after it. */
  position: number
  /** Whether there are more events to check */
  hasMore: boolean
}

/** As `FeedRequest` */
export type PlacedRequest = Pick<FeedRequest, 'after' | 'limit' | 'types'>

/** As `FeedPage` */
export type PlacedPage = Pick<FeedPage, 'events' | 'position'>

/** The news in an account's feed. */
export interface FeedHead {
  accountId: string
  lastPosition: number
  /** Whether there are committed events without a position */
  hasPending: boolean
}

export interface EventStore {
  /** Writes an event without a change of rows; false, without writing, if the account or the user that it names is gone. */
  append(accountId: string, event: NewEvent): Promise<boolean>
  /**
   * Reads on in the feed. Events get their positions here, after their commit and in the order of their writing, so
   * that no event appears before a position that was already read.
   */
  read(accountId: string, request: FeedRequest): Promise<FeedPage>
  /** As `read`, but it may omit committed events without a position. */
  readPlaced(accountId: string, request: PlacedRequest): Promise<PlacedPage>
  /** Reads backwards in the feed: `position` of the page is `before` of the next request. */
  readLatest(accountId: string, request: LatestRequest): Promise<FeedPage>
  /** Whether there is such a committed event. */
  has(accountId: string, eventId: string): Promise<boolean>
  /** The position before all events from that time on, by their ids; the end if there are none. */
  findStart(accountId: string, since: number): Promise<number>
  /** The ends of the feed, after all events that were committed before the call got positions. */
  findEnd(accountId: string): Promise<FeedEnds>
  /**
   * Assigns positions to committed events of these accounts. If it fails for an account, it throws after the others are
   * done.
   */
  givePlaces(accountIds: readonly string[]): Promise<void>
  /** The ends of several feeds. */
  findHeads(accountIds: readonly string[]): Promise<FeedHead[]>
  /**
   * Deletes some of the oldest events that were written before `eventsBefore`. Returns how many. An event of the future
   * was written while the clock was ahead: it goes with the first one behind it that is so old.
   */
  purge(accountId: string, times: { now: number; eventsBefore: number }): Promise<number>
  /** Sets how entries are linked; without it, a feed with a chain gets no new positions. */
  linkBy(linker: EventLinker): void
  /** The ends of a feed with their links; undefined when the feed does not exist yet. */
  findChainEnds(accountId: string): Promise<ChainEnds | undefined>
  /** The next entries between two positions, with their links. */
  readChained(
    accountId: string,
    range: { after: number; until: number; limit: number },
  ): Promise<ChainedEvent[]>
  /** Entries that have a position, but none between these. */
  readOutside(
    accountId: string,
    range: { after: number; until: number; limit: number },
  ): Promise<Pick<ChainedEvent, 'id' | 'position'>[]>
}
