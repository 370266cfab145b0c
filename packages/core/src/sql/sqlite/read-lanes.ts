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

/**
 * Runs two reads at once: one of the accounts whose reads are slow, and one of the others, so that these do not wait for
 * slow reads. In each lane, accounts take turns. The first slow read of an account goes on beside them.
 */
export class ReadLanes {
  readonly #quick = new Lane()
  readonly #slow = new Lane()
  #beside = 0
  /** Until when reads of an account count as slow */
  readonly #slowUntil = new Map<string, number>()

  /**
   * @param prepare is waited for before the read begins, and does not count as a part of it
   * @throws ClienteleError `overloaded` when too many reads of the account wait; any error of `prepare` and `read`
   */
  async run<T extends Measured>(
    accountId: string,
    prepare: () => Promise<void>,
    read: () => Promise<T>,
  ): Promise<T> {
    if (this.#isSlow(accountId)) return this.#slow.run(accountId, read)
    const { answer } = await this.#quick.run(accountId, async () => {
      // It has waited behind a read of its account that was slow.
      if (this.#isSlow(accountId)) return { answer: this.#slow.run(accountId, read) }
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
    const answer = read()
    if (await settlesWithin(answer, quickMs)) return { answer }
    this.#noteSlow(accountId)
    answer.then(
      ({ milliseconds }) => {
        if (milliseconds < quickMs) this.#slowUntil.delete(accountId)
      },
      () => {},
    )
    const end = this.#slow.begin(accountId) ?? this.#beginBeside()
    if (end === undefined) await settled(answer)
    else settled(answer).then(end)
    return { answer }
  }

  #beginBeside(): (() => void) | undefined {
    if (this.#beside >= mostBeside) return undefined
    this.#beside++
    return () => {
      this.#beside--
    }
  }

  #isSlow(accountId: string): boolean {
    const until = this.#slowUntil.get(accountId)
    return until !== undefined && performance.now() < until
  }

  #noteSlow(accountId: string): void {
    const now = performance.now()
    for (const [other, until] of this.#slowUntil) if (until <= now) this.#slowUntil.delete(other)
    this.#slowUntil.set(accountId, now + slowForMs)
  }
}

/** One read at a time */
class Lane {
  readonly #turns: FairLimit = new FairLimit({
    atOnce: 1,
    maxWaiting: () => maxWaitMs / this.#meanMs,
    retryAfterSeconds: 2,
  })
  /** The average duration of a read, weighted to the latest ones; initially a guess */
  #meanMs = 10

  begin(accountId: string): (() => void) | undefined {
    return this.#turns.begin(accountId)
  }

  run<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, async () => {
      const start = performance.now()
      try {
        return await read()
      } finally {
        this.#meanMs += weight * (performance.now() - start - this.#meanMs)
      }
    })
  }
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => {},
    () => {},
  )
}
