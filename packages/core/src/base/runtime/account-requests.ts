import { overloaded } from '../errors.ts'

/**
 * How many requests of one account may be in progress. More than its connections have only callers who have gone, whose requests
 * still wait for something.
 */
const maxInProgress = 2_000

/** Counts the requests of each account from the authentication to the response. */
export class AccountRequests {
  readonly #inProgress = new Map<string, number>()

  /**
   * Counts a request until `end`. Those of public routes have no account, and are not counted.
   *
   * @throws ClienteleError `overloaded` when too many requests of the account are in progress
   */
  begin(accountId: string): void {
    if (accountId === '') return
    const count = this.#inProgress.get(accountId) ?? 0
    if (count >= maxInProgress) throw overloaded()
    this.#inProgress.set(accountId, count + 1)
  }

  end(accountId: string): void {
    const left = (this.#inProgress.get(accountId) ?? 0) - 1
    if (left > 0) this.#inProgress.set(accountId, left)
    else this.#inProgress.delete(accountId)
  }
}
