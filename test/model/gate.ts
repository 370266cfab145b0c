import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Repository } from '@clientele/core'
import type fc from 'fast-check'

type Method = (...args: unknown[]) => unknown

/** How long a request may take to its next call of a store: it may wait for another, which waits at the gate. */
const patienceMs = 5

/**
 * Holds every call of a store while several clients are served at once, until the scheduler of fast-check lets it go: in
 * any order, which is the same for the same seed.
 */
export class Gate {
  #scheduler: fc.Scheduler | undefined

  /** The same repository, whose calls pass the gate. */
  guard(repository: Repository): Repository {
    const guarded = Object.entries(repository).map(([name, store]) =>
      // How often a key was used is counted beside the requests.
      name === 'storage' || name === 'apiKeys' ? [name, store] : [name, this.#guard(name, store)],
    )
    return Object.fromEntries(guarded) // the same stores, by the same names
  }

  #guard(name: string, store: Record<string, Method>): Record<string, Method> {
    const methods = Object.entries(store).map(([method, call]): [string, Method] => [
      method,
      (...args) => {
        if (this.#scheduler === undefined) return call(...args)
        return this.#scheduler
          .schedule(Promise.resolve(), `${name}.${method}`)
          .then(() => call(...args))
      },
    ])
    return Object.fromEntries(methods)
  }

  /** Asks all at once, and lets their calls of stores go in the scheduler's order. */
  async run<T>(scheduler: fc.Scheduler, asks: readonly (() => Promise<T>)[]): Promise<T[]> {
    this.#scheduler = scheduler
    let open = asks.length
    const answers = Promise.all(asks.map((ask) => ask().finally(() => open--)))
    // It is awaited below.
    answers.catch(() => {})
    try {
      while (open > 0) {
        const since = performance.now()
        while (open > 0 && scheduler.count() < open && performance.now() - since < patienceMs)
          await nextTurn()
        if (scheduler.count() > 0) await scheduler.waitNext(1)
        else await nextTurn()
      }
      return await answers
    } finally {
      this.#scheduler = undefined
      while (scheduler.count() > 0) await scheduler.waitNext(1)
    }
  }
}
