import { overloaded } from '../../base/errors.ts'
import { TimeShare } from '../../base/runtime/time-share.ts'
import { defaultHashLimits, findExcess, type HashCost } from './stored-hashes/hash-cost.ts'

export interface HashTurnsOptions {
  /** The cost of one of our own hashes */
  ownCost: HashCost
  /** How many of our own hashes are computed at once */
  concurrency: number
  /** How many hashes of one account may wait */
  queueLength: number
  /** The number of libuv's threads: each hash occupies one */
  threads: number
}

/** `own`: at most our own cost. `expensive`: above it. `excessive`: above the limits of imports by console or HTTP */
const kinds = ['own', 'expensive', 'excessive'] as const
type Kind = (typeof kinds)[number]

const retryAfterSeconds = 2

/**
 * Decides which hash is computed next. Accounts share the time: each is charged for its hashes. At least one slot takes
 * only hashes that cost no more than ours, and hashes above today's import limit leave a slot for cheaper ones. So
 * expensive hashes never take all slots, and cheaper hashes of other accounts go on.
 */
export class HashTurns {
  readonly #options: HashTurnsOptions
  readonly #turns: Record<Kind, TimeShare>
  readonly #mostExpensive: number
  readonly #mostCostly: number
  readonly #atOnce: number

  constructor(options: HashTurnsOptions) {
    this.#options = options
    const { concurrency, threads } = options
    // On a small machine expensive hashes run in addition to ours, on other threads: they share the processor time.
    this.#atOnce = Math.max(concurrency, Math.min(kinds.length, threads - 1), Math.min(2, threads))
    this.#mostCostly = Math.max(1, this.#atOnce - 1)
    this.#mostExpensive = Math.max(1, Math.min(concurrency - 1, threads - 2))
    const onEnd = () => this.#startWaiting()
    const share = (kind: Kind) => new TimeShare({ hasRoom: () => this.#hasRoom(kind), onEnd })
    this.#turns = {
      own: share('own'),
      expensive: share('expensive'),
      excessive: share('excessive'),
    }
  }

  /** How many hashes run and how many wait, over all accounts */
  get load(): { running: number; waiting: number } {
    const { own, expensive, excessive } = this.#turns
    return {
      running: own.running + expensive.running + excessive.running,
      waiting: own.waiting + expensive.waiting + excessive.waiting,
    }
  }

  /** @throws ClienteleError `overloaded` when too many hashes of the account wait */
  assertRoom(accountId: string, kind: Kind = 'own'): void {
    if (this.#hasRoom(kind)) return
    const { own, expensive, excessive } = this.#turns
    const waiting = [own, expensive, excessive].reduce(
      (sum, each) => sum + each.waitingOf(accountId),
      0,
    )
    if (waiting >= this.#options.queueLength) throw overloaded(retryAfterSeconds)
  }

  /**
   * @param isPatient waits however many hashes of the account do: its caller bounds how many do so
   * @throws ClienteleError `overloaded` when too many hashes of the account wait; any error of the task
   */
  async run<T>(
    accountId: string,
    cost: HashCost,
    task: () => Promise<T>,
    isPatient = false,
  ): Promise<T> {
    const kind = this.#kindOf(cost)
    if (!isPatient) this.assertRoom(accountId, kind)
    return this.#turns[kind].run(accountId, cost.milliseconds, task)
  }

  #kindOf(cost: HashCost): Kind {
    const { ownCost } = this.#options
    if (cost.milliseconds <= ownCost.milliseconds && cost.memoryBytes <= ownCost.memoryBytes)
      return 'own'
    return findExcess(cost, defaultHashLimits) === undefined ? 'expensive' : 'excessive'
  }

  #hasRoom(kind: Kind): boolean {
    const { own, expensive, excessive } = this.#turns
    const costly = expensive.running + excessive.running
    if (own.running + costly >= this.#atOnce) return false
    if (kind === 'own') return own.running < this.#options.concurrency
    if (costly >= this.#mostCostly) return false
    return kind === 'expensive' ? expensive.running < this.#mostExpensive : excessive.running === 0
  }

  /** Kinds without a running hash come first, so that no kind starves. */
  #startWaiting(): void {
    let hasStarted = true
    while (hasStarted) {
      const byRunning = kinds.map((kind) => this.#turns[kind])
      byRunning.sort((one, other) => one.running - other.running)
      hasStarted = byRunning.some((turns) => turns.startNext())
    }
  }
}
