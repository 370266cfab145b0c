/** Runs calls that share a name one after the other, in the order of arrival. */
export class KeyedMutex {
  /** The last call of each name; it never rejects. */
  readonly #last = new Map<string, Promise<void>>()

  async take<T>(name: string, run: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(name) ?? Promise.resolve()).then(run)
    const ended = running.then(
      () => {},
      () => {},
    )
    this.#last.set(name, ended)
    try {
      return await running
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name)
    }
  }
}
