import pTimeout from 'p-timeout'

/**
 * The requests with a key that this process is working on. Whoever comes with the same key waits for the first beside
 * the database: neither a password is hashed twice nor a connection held meanwhile.
 */
export class RequestsUnderWay {
  /** None of them rejects. */
  readonly #byName = new Map<string, Promise<void>>()

  /** Waits for the request of this name, if there is one. Answers false when it takes longer than that. */
  async wait(name: string, milliseconds: number): Promise<boolean> {
    const first = this.#byName.get(name)
    if (first === undefined) return true
    return pTimeout(
      first.then(() => true),
      { milliseconds, fallback: () => false },
    )
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** Works under a name that no other request has. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const working = work()
    this.#byName.set(
      name,
      working.then(
        () => {},
        () => {},
      ),
    )
    try {
      return await working
    } finally {
      this.#byName.delete(name)
    }
  }
}
