import type { Call } from '../../base/call/call.ts'
import type { EntryFault } from './feed-chain.ts'
import type { EventsServices } from './services.ts'
import type { ChainEnds, ChainedEvent } from './store.ts'

/** What is wrong with a feed, and where. */
export interface FeedProblem {
  /**
   * `changed`: the entry is not as it was written. `moved`: it does not follow the entry before it, which means that it was
   * moved, or that what stood between them was taken out. `emptied`: its person was taken out, and no erasure of that person
   * follows. `missing`: entries are not there. `unreadable`: it was linked
   * under a secret that is not given. `forged`: no process with the key and `audit: { chain: true }` has written it.
   * `beginning`, `end`: entries were taken out there, other than by their age.
   */
  kind: EntryFault | 'emptied' | 'missing' | 'beginning' | 'end'
  /** The first place that it is about, and the last */
  position: number
  lastPosition: number
  /** The entry that it is about; null where there is none */
  eventId: string | null
}

/** What a feed's chain says. */
export interface FeedVerification {
  /** Whether the feed has a chain; without one there is nothing to verify */
  hasChain: boolean
  /** Whether it has one, and nothing is wrong */
  isSound: boolean
  /** How many entries were looked at */
  verified: number
  /** How many entries are older than the chain: nothing is known of them */
  unchained: number
  /** Of how many entries the person was erased; the chain holds without */
  erased: number
  /** The last entry's place */
  lastPosition: number
  /** The first of what is wrong, at most 100 */
  problems: FeedProblem[]
  problemCount: number
}

const pageSize = 500
const maxProblems = 100
/** So often it begins anew, when old entries go meanwhile. */
const maxAttempts = 10

/**
 * Follows the chain of an account's feed from its beginning to its end.
 *
 * @throws ClienteleError `secret_required`, `storage_unavailable`
 */
export async function verifyFeed(
  services: EventsServices,
  { accountId }: Call,
): Promise<FeedVerification> {
  const { events } = services.repository
  // Gives places, and links, to what was committed.
  await events.findEnd(accountId)
  for (let attempt = 1; ; attempt++) {
    const ends = await events.findChainEnds(accountId)
    if (ends === undefined || ends.end.chain === null) return new Walk(services, accountId).result
    const walk = new Walk(services, accountId)
    await walk.follow(ends)
    const now = await events.findChainEnds(accountId)
    const isSettled = now?.beginning.position === ends.beginning.position
    if (isSettled || attempt === maxAttempts) return walk.result
  }
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
  /** The link of the entry before; null: the chain has not begun; undefined: it is not known */
  #previous: string | null | undefined = null
  #position = 0
  /** Entries whose person is gone, by whom they are about: the erasure has to follow. Null: about nobody */
  readonly #emptied = new Map<string | null, { position: number; id: string }[]>()

  constructor(services: EventsServices, accountId: string) {
    this.#services = services
    this.#accountId = accountId
  }

  async follow({ beginning, end }: ChainEnds): Promise<void> {
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
    this.result.isSound = this.result.problemCount === 0
  }

  #look(entry: ChainedEvent): void {
    const { feedChain } = this.#services
    const { position, id } = entry
    if (position > this.#position + 1) {
      this.#note('missing', this.#position + 1, position - 1)
      // What the entry followed is not there.
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
      // Whose address was typed is not known any more.
      this.#emptied.delete(null)
    }
    const fault = feedChain.findFault(this.#accountId, entry, this.#previous)
    if (fault !== undefined) this.#note(fault, position, position, id)
    else if (feedChain.isErased(entry)) this.#noteErased(entry)
    // The next one follows the one before it.
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
