import pTimeout from 'p-timeout'

/**
 * The requests with a key that this process is working on. A repeat with the same key waits here for the first one,
 * without hashing a password again and without holding a connection.
 */
export class RequestsUnderWay {
  /** The promises never reject. */
  readonly #byName = new Map<string, Promise<void>>()

  /** Waits for the request of this name, if there is one. Returns false when it takes longer than that. */
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

  /** Runs work under a name that no other request has. */
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
