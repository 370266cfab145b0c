import { LRUCache } from 'lru-cache'

/**
 * The values that were used last, at most `max`. Room for all of them is taken when the first one comes: for ten thousand that
 * costs more than the rest of a start, and a short process may never need it.
 */
export class LateCache<Value extends object | true> {
  readonly #max: number
  #values: LRUCache<string, Value> | undefined

  constructor(max: number) {
    this.#max = max
  }

  has(key: string): boolean {
    return this.#values?.has(key) ?? false
  }

  get(key: string): Value | undefined {
    return this.#values?.get(key)
  }

  set(key: string, value: Value): void {
    this.#values ??= new LRUCache({ max: this.#max })
    this.#values.set(key, value)
  }

  delete(key: string): void {
    this.#values?.delete(key)
  }
}
