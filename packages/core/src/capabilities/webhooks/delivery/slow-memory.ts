/** How long something counts as slow after a slow request, however quick others are. In milliseconds. */
const slowForMs = 300_000
/** How many are remembered */
const maxSlow = 10_000

/** What had a slow request in the last five minutes. */
export class SlowMemory {
  /** When each had its last slow request, the latest last */
  readonly #slow = new Map<string, number>()

  /** How many may count as slow */
  get size(): number {
    return this.#slow.size
  }

  has(id: string): boolean {
    const at = this.#slow.get(id)
    return at !== undefined && performance.now() - at < slowForMs
  }

  add(id: string): void {
    const now = performance.now()
    this.#slow.delete(id)
    this.#slow.set(id, now)
    for (const [first, at] of this.#slow) {
      if (this.#slow.size <= maxSlow && now - at < slowForMs) break
      this.#slow.delete(first)
    }
  }
}
