import type { Letter } from './mail-sender.ts'

/** How many mails may wait for another attempt */
export const maxWaiting = 1_000
/** How many of them are tried at once */
const atOnce = 16
/** How many of those are of one account: each may hang until its time ends. */
const atOncePerAccount = 4

/** A mail that waits for another attempt */
export interface Retry {
  letter: Letter
  /** The number of the attempt that it waits for; the first attempt is 1 */
  tries: number
}

/**
 * Mails that wait for another attempt. Accounts share the places: when all are taken, the account with the most waiting
 * mails loses its newest. Accounts take turns at attempts, four at once each: the account with the fewest running ones is
 * next, and among several the one that has waited longest.
 */
export class RetryQueue {
  readonly #attempt: (retry: Retry) => Promise<void>
  /** By account, the oldest first */
  readonly #waiting = new Map<string, Map<Retry, NodeJS.Timeout>>()
  /** The mails whose pause is over, by account; the account that has waited longest is first. */
  readonly #due = new Map<string, Set<Retry>>()
  readonly #running = new Set<Retry>()
  #size = 0

  /** @param attempt must not reject */
  constructor(attempt: (retry: Retry) => Promise<void>) {
    this.#attempt = attempt
  }

  /** @returns the mail that lost its place, which may be this one; undefined when there was room */
  add(retry: Retry, pauseMs: number): Retry | undefined {
    const accountId = accountOf(retry)
    const timer = setTimeout(() => this.#fallDue(retry), pauseMs)
    const waiting = this.#waiting.get(accountId)
    if (waiting === undefined) this.#waiting.set(accountId, new Map([[retry, timer]]))
    else waiting.set(retry, timer)
    this.#size++
    if (this.#size <= maxWaiting) return undefined
    const lost = this.#findNewestOfLargest(accountId)
    if (lost !== undefined) this.#remove(lost)
    return lost
  }

  /** Empties the queue. @returns its mails, one of each account in turn */
  takeAll(): Letter[] {
    const lists = [...this.#waiting.values()].map((waiting) => [...waiting.keys()])
    for (const retry of lists.flat()) this.#remove(retry)
    const longest = Math.max(0, ...lists.map((list) => list.length))
    const turns = Array.from({ length: longest }, (_, turn) =>
      lists.flatMap((list) => list.slice(turn, turn + 1)),
    )
    return turns.flat().map(({ letter }) => letter)
  }

  #findNewestOfLargest(accountId: string): Retry | undefined {
    let largest = this.#waiting.get(accountId)
    for (const waiting of this.#waiting.values())
      if (waiting.size > (largest?.size ?? 0)) largest = waiting
    return [...(largest?.keys() ?? [])].at(-1)
  }

  #fallDue(retry: Retry): void {
    const due = this.#due.get(accountOf(retry))
    if (due === undefined) this.#due.set(accountOf(retry), new Set([retry]))
    else due.add(retry)
    this.#startNext()
  }

  #startNext(): void {
    const accountId = this.#running.size < atOnce ? this.#findNext() : undefined
    const due = accountId === undefined ? undefined : this.#due.get(accountId)
    const [retry] = due ?? []
    if (accountId === undefined || due === undefined || retry === undefined) return
    this.#remove(retry)
    // Moves the account behind the others.
    if (this.#due.delete(accountId)) this.#due.set(accountId, due)
    this.#running.add(retry)
    void this.#attempt(retry).finally(() => {
      this.#running.delete(retry)
      this.#startNext()
    })
  }

  #findNext(): string | undefined {
    const running = new Map<string, number>()
    for (const retry of this.#running)
      running.set(accountOf(retry), (running.get(accountOf(retry)) ?? 0) + 1)
    const runningOf = (accountId: string) => running.get(accountId) ?? 0
    let next: string | undefined
    let fewest = atOncePerAccount
    for (const accountId of this.#due.keys()) {
      const count = runningOf(accountId)
      if (count < fewest) [next, fewest] = [accountId, count]
    }
    return next
  }

  #remove(retry: Retry): void {
    const accountId = accountOf(retry)
    const waiting = this.#waiting.get(accountId)
    clearTimeout(waiting?.get(retry))
    if (waiting?.delete(retry)) this.#size--
    if (waiting?.size === 0) this.#waiting.delete(accountId)
    const due = this.#due.get(accountId)
    due?.delete(retry)
    if (due?.size === 0) this.#due.delete(accountId)
  }
}

function accountOf({ letter }: Retry): string {
  return letter.mail.accountId
}
