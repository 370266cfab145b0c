import { lowestId } from '../../../base/input/id.ts'
import type { WebhooksServices } from '../services.ts'

/** Up to this number of endpoints all accounts are searched each time. */
const fewEndpoints = 1_000
/** How many accounts are searched each time in turn, whether they have news or not */
const accountsInTurn = 500
/** How long an event may take from its insertion to its commit until only the turn of its account finds it */
const slowestCommitMs = 10_000
/** How often the endpoints are counted */
const countPauseMs = 60_000
/** The shortest time between two searches among many endpoints */
const searchPauseMs = 1_000

/** Chooses the accounts in which a deliverer looks for what other processes have written, and for what has become due. */
export class AccountSearch {
  readonly #services: Pick<WebhooksServices, 'repository' | 'clock'>
  #hasFew = true
  #countedAt = Number.NEGATIVE_INFINITY
  /** The account whose turn was last */
  #last = lowestId
  #searchedAt = Number.NEGATIVE_INFINITY
  /** Where the events ended at some times, the earliest first */
  readonly #ends: { at: number; end: number }[] = []

  constructor(services: Pick<WebhooksServices, 'repository' | 'clock'>) {
    this.#services = services
  }

  /**
   * Undefined: all accounts. Where there are many endpoints, it is the accounts with new events or due deliveries, and
   * some others in turn: so the cost is that of what is done, and not of how many endpoints there are.
   */
  async next(): Promise<readonly string[] | undefined> {
    const { repository, clock } = this.#services
    const { webhooks } = repository
    const now = performance.now()
    if (now - this.#countedAt >= countPauseMs) {
      this.#hasFew = !(await webhooks.hasMoreThan(fewEndpoints))
      this.#countedAt = now
    }
    const ends = this.#ends
    if (this.#hasFew) {
      ends.length = 0
      return undefined
    }
    if (now - this.#searchedAt < searchPauseMs) return []
    while ((ends[1]?.at ?? now) < now - slowestCommitMs) ends.shift()
    const news = await webhooks.findNews(ends[0]?.end, clock())
    this.#searchedAt = now
    const isFirst = ends.length === 0
    ends.push({ at: now, end: news.end })
    // This process has not looked at what was written before.
    if (isFirst) return undefined
    const inTurn = await webhooks.listAccounts(this.#last, accountsInTurn)
    this.#last = (inTurn.length === accountsInTurn ? inTurn.at(-1) : undefined) ?? lowestId
    return [...news.accountIds, ...inTurn]
  }
}
