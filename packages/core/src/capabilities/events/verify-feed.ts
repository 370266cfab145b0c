import type { Call } from '../../base/call/call.ts'
import type { EntryFault } from './feed-chain.ts'
import type { EventsServices } from './services.ts'
import type { ChainEnds, ChainedEvent } from './store.ts'

/** A problem in a feed and its position. */
export interface FeedProblem {
  /**
   * `changed`: the entry was changed. `moved`: it does not follow the previous entry, because it was moved or entries
   * between them were removed. `emptied`: its person was removed, and no erasure of that person follows. `missing`:
   * entries are missing. `unreadable`: it was linked under a secret that is not given. `forged`: no process with the
   * key and `audit: { chain: true }` has written it. `beginning`, `end`: entries were removed there, other than because
   * of their age.
   */
  kind: EntryFault | 'emptied' | 'missing' | 'beginning' | 'end'
  /** The first and the last affected position */
  position: number
  lastPosition: number
  /** The affected entry; null: none */
  eventId: string | null
}

/** The result of verifying a feed. */
export interface FeedVerification {
  /** Whether the feed has a chain; without one nothing can be verified */
  hasChain: boolean
  /** Whether it has a chain without problems */
  isSound: boolean
  /** How many entries were checked */
  verified: number
  /** How many entries are older than the chain and cannot be checked */
  unchained: number
  /** How many entries had a person who was erased; the chain is valid without them */
  erased: number
  /** The last entry's position */
  lastPosition: number
  /** The first problems, at most 100 */
  problems: FeedProblem[]
  problemCount: number
}

const pageSize = 500
const maxProblems = 100
/** How often it starts again because old entries were deleted meanwhile. */
const maxAttempts = 10

/**
 * Checks the chain of an account's feed from its beginning to its end.
 *
 * @throws ClienteleError `secret_required`, `storage_unavailable`
 */
export async function verifyFeed(
  services: EventsServices,
  { accountId }: Call,
): Promise<FeedVerification> {
  const { events } = services.repository
  const outside = await findOutside(services, accountId)
  // Assigns positions and links to committed events. Where an entry has such a position already, it cannot.
  if (outside.length === 0) await events.findEnd(accountId)
  for (let attempt = 1; ; attempt++) {
    const ends = await events.findChainEnds(accountId)
    if (ends === undefined || ends.end.chain === null) return new Walk(services, accountId).result
    const walk = new Walk(services, accountId)
    await walk.follow(ends, outside)
    const now = await events.findChainEnds(accountId)
    const isSettled = now?.beginning.position === ends.beginning.position
    if (isSettled || attempt === maxAttempts) return walk.result
  }
}

type Outsider = Pick<ChainedEvent, 'id' | 'position'>

/** Entries before the beginning of a feed, or behind its end: no process of ours has written them. */
async function findOutside(
  { repository: { events } }: EventsServices,
  accountId: string,
): Promise<Outsider[]> {
  const ends = await events.findChainEnds(accountId)
  if (ends === undefined) return []
  const range = { after: ends.beginning.position, until: ends.end.position, limit: maxProblems }
  const found = await events.readOutside(accountId, range)
  if (found.length === 0) return []
  // Others have got their positions meanwhile, and the end moved with them.
  const now = (await events.findChainEnds(accountId)) ?? ends
  const isOutside = ({ position }: Outsider) =>
    position <= range.after || position > now.end.position
  return found.filter(isOutside)
}

/** One walk along a chain. */
class Walk {
  readonly #services: EventsServices
  readonly #accountId: string
  readonly result: FeedVerification = {
    hasChain: false,
    isSound: false,
    verified: 0,
    unchained: 0,
    erased: 0,
    lastPosition: 0,
    problems: [],
    problemCount: 0,
  }
  /** The link of the previous entry; null: the chain has not begun; undefined: unknown */
  #previous: string | null | undefined = null
  #position = 0
  /** Entries whose person is gone, by their user: the user's erasure must follow. Null: no user had the typed address */
  readonly #emptied = new Map<string | null, { position: number; id: string }[]>()

  constructor(services: EventsServices, accountId: string) {
    this.#services = services
    this.#accountId = accountId
  }

  async follow({ beginning, end }: ChainEnds, outside: readonly Outsider[]): Promise<void> {
    const { feedChain, repository } = this.#services
    const accountId = this.#accountId
    this.result.hasChain = true
    this.result.lastPosition = end.position
    this.#position = beginning.position
    if (beginning.chain !== null) {
      this.#previous = feedChain.openEnd('beginning', accountId, beginning)
      if (this.#previous === undefined) this.#note('beginning', beginning.position)
    }
    for (;;) {
      const range = { after: this.#position, until: end.position, limit: pageSize }
      const page = await repository.events.readChained(accountId, range)
      for (const entry of page) this.#look(entry)
      if (page.length < pageSize) break
    }
    if (this.#position < end.position) {
      this.#note('missing', this.#position + 1, end.position)
      this.#previous = undefined
    }
    for (const { position, id } of [...this.#emptied.values()].flat())
      this.#note('emptied', position, position, id)
    const link = feedChain.openEnd('end', accountId, end)
    const isOther = this.#previous !== undefined && link !== this.#previous
    if (link === undefined || isOther) this.#note('end', end.position)
    for (const { position, id } of outside) this.#note('forged', position, position, id)
    this.result.isSound = this.result.problemCount === 0
  }

  #look(entry: ChainedEvent): void {
    const { feedChain } = this.#services
    const { position, id } = entry
    if (position > this.#position + 1) {
      this.#note('missing', this.#position + 1, position - 1)
      // The predecessor of the entry is missing.
      if (this.#previous !== null || entry.chain !== null) this.#previous = undefined
    }
    this.#position = position
    if (this.#previous === null && entry.chain === null) {
      this.result.unchained++
      return
    }
    this.result.verified++
    if (entry.type === 'user.erased') {
      this.#emptied.delete(entry.subject.id)
      // It is no longer known whose address was typed.
      this.#emptied.delete(null)
    }
    const fault = feedChain.findFault(this.#accountId, entry, this.#previous)
    if (fault !== undefined) this.#note(fault, position, position, id)
    else if (feedChain.isErased(entry)) this.#noteErased(entry)
    // The next entry follows the previous one.
    if (fault !== 'forged') this.#previous = feedChain.linkOf(entry)
  }

  #noteErased({ subject, position, id }: ChainedEvent): void {
    this.result.erased++
    const others = this.#emptied.get(subject.id) ?? []
    others.push({ position, id })
    this.#emptied.set(subject.id, others)
  }

  #note(
    kind: FeedProblem['kind'],
    position: number,
    lastPosition = position,
    eventId: string | null = null,
  ): void {
    this.result.problemCount++
    if (this.result.problems.length < maxProblems)
      this.result.problems.push({ kind, position, lastPosition, eventId })
  }
}
