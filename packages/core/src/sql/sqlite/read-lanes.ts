import { FairLimit } from '../../base/runtime/fair-limit.ts'
import { settlesWithin } from '../../base/runtime/settles-within.ts'

/** A read that would wait longer than this behind others of its account is refused. */
const maxWaitMs = 10_000
/** The weight of the latest read in the average */
const weight = 0.1
/** A read that takes longer is slow, in milliseconds */
const quickMs = 250
/** How many slow reads may run beside the one of their lane: first ones of their accounts */
const mostBeside = 2
/** For how long after a slow read those of its account count as slow from their beginning, in milliseconds */
const slowForMs = 60_000

interface Measured {
  /** How long the read took by itself: its thread may have waited for a processor */
  milliseconds: number
}

interface SlowAccount {
  until: number
  /** The average duration of its slow reads, weighted to the latest ones */
  meanMs: number
}

/**
 * Runs two reads at once: one of the accounts whose reads are slow, and one of the others, so that these do not wait for
 * slow reads. In each lane, accounts take turns. The first slow read of an account goes on beside them.
 */
export class ReadLanes {
  /** The average duration of quick reads, weighted to the latest ones; initially a guess */
  #meanMs = 10
  readonly #quick = new FairLimit({
    atOnce: 1,
    maxWaiting: () => maxWaitMs / this.#meanMs,
    retryAfterSeconds: 2,
  })
  readonly #slow = new FairLimit({
    atOnce: 1,
    maxWaiting: (accountId) => maxWaitMs / (this.#slowAccounts.get(accountId)?.meanMs ?? quickMs),
    retryAfterSeconds: 2,
  })
  readonly #slowAccounts = new Map<string, SlowAccount>()
  #beside = 0

  /**
   * @param prepare is waited for before the read begins, and does not count as a part of it
   * @throws ClienteleError `overloaded` when too many reads of the account wait; any error of `prepare` and `read`
   */
  async run<T extends Measured>(
    accountId: string,
    prepare: () => Promise<void>,
    read: () => Promise<T>,
  ): Promise<T> {
    if (this.#isSlow(accountId)) return this.#runSlowly(accountId, read)
    const { answer } = await this.#quick.run(accountId, async () => {
      // It has waited behind a read of its account that was slow.
      if (this.#isSlow(accountId)) return { answer: this.#runSlowly(accountId, read) }
      await prepare()
      return this.#readQuickly(accountId, read)
    })
    return answer
  }

  /** Runs a task while no read is under way, but first slow ones of accounts. */
  runAlone(task: () => Promise<void>): Promise<void> {
    return this.#slow.run('', () => this.#quick.run('', task))
  }

  /** Returns the answer before it is there if the read is slow and goes on in the other lane. */
  async #readQuickly<T extends Measured>(
    accountId: string,
    read: () => Promise<T>,
  ): Promise<{ answer: Promise<T> }> {
    const start = performance.now()
    const answer = read()
    try {
      if (await settlesWithin(answer, quickMs)) return { answer }
      this.#noteSlow(accountId, quickMs)
      const noted = answer.then(
        ({ milliseconds }) => {
          if (milliseconds < quickMs) this.#slowAccounts.delete(accountId)
          else this.#noteSlow(accountId, performance.now() - start)
        },
        () => {},
      )
      const end = this.#slow.begin(accountId) ?? this.#beginBeside()
      if (end === undefined) await noted
      else noted.then(end)
      return { answer }
    } finally {
      this.#meanMs += weight * (performance.now() - start - this.#meanMs)
    }
  }

  #runSlowly<T extends Measured>(accountId: string, read: () => Promise<T>): Promise<T> {
    return this.#slow.run(accountId, async () => {
      const start = performance.now()
      const answer = await read()
      if (answer.milliseconds >= quickMs) this.#noteSlow(accountId, performance.now() - start)
      return answer
    })
  }

  #beginBeside(): (() => void) | undefined {
    if (this.#beside >= mostBeside) return undefined
    this.#beside++
    return () => {
      this.#beside--
    }
  }

  #isSlow(accountId: string): boolean {
    return (this.#slowAccounts.get(accountId)?.until ?? 0) > performance.now()
  }

  #noteSlow(accountId: string, milliseconds: number): void {
    const now = performance.now()
    for (const [other, { until }] of this.#slowAccounts)
      if (until <= now) this.#slowAccounts.delete(other)
    const meanMs = this.#slowAccounts.get(accountId)?.meanMs ?? quickMs
    this.#slowAccounts.set(accountId, {
      until: now + slowForMs,
      meanMs: meanMs + weight * (milliseconds - meanMs),
    })
  }
}
