import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { overloaded } from '../errors.ts'

/** Usual handshakes take 1 to 5 ms of CPU time. */
const costlyMs = 25
/** The pause of an account is this many times as long as the handshakes took. */
const pauseFactor = 10
/** A request that would wait longer is refused, in milliseconds. */
const maxWaitMs = 5_000

interface Debt {
  /** Until then, no request of the account begins; by `performance.now` */
  until: number
  /**
   * The expected duration of the account's next handshake: that of the latest costly one, halved by each usual one
   * since
   */
  expectedMs: number
}

/** Adds the CPU time of a handshake, in milliseconds. */
export type Charge = (usedMs: number) => void

/**
 * Shares the time of the thread among accounts: after costly handshakes with an account's servers, requests of that
 * account pause, so that it takes at most a tenth of the time. Other accounts' requests begin at once.
 */
export class ThreadTime {
  readonly #debts = new LRUCache<string, Debt>({ max: 1_000, ttl: 60_000 })

  /** @throws ClienteleError `overloaded` when the account's requests wait for too long; any error of `begin` */
  async run<T>(
    accountId: string,
    signal: AbortSignal,
    begin: (charge: Charge) => Promise<T>,
  ): Promise<T> {
    const debt = this.#debts.get(accountId)
    if (debt !== undefined) {
      const now = performance.now()
      const startsAt = Math.max(now, debt.until)
      const waitMs = startsAt - now
      if (waitMs > maxWaitMs) throw overloaded(maxWaitMs / 1000)
      debt.until = startsAt + pauseFactor * debt.expectedMs
      await sleep(waitMs, undefined, { signal })
    }
    return begin((usedMs) => this.#charge(accountId, usedMs, debt !== undefined))
  }

  /** @param isPaid whether the expected pause was added when the request began */
  #charge(accountId: string, usedMs: number, isPaid: boolean): void {
    const debt = this.#debts.get(accountId)
    if (usedMs <= costlyMs) {
      if (debt !== undefined) debt.expectedMs /= 2
      return
    }
    const now = performance.now()
    const { until, expectedMs } = debt ?? { until: now, expectedMs: 0 }
    const pauseMs = pauseFactor * (isPaid ? Math.max(0, usedMs - expectedMs) : usedMs)
    this.#debts.set(accountId, {
      until: Math.max(until, Math.min(Math.max(now, until) + pauseMs, now + maxWaitMs)),
      expectedMs: usedMs,
    })
  }
}
