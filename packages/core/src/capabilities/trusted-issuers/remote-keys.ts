import type { PublicJwk } from './public-jwk.ts'

/** Older keys are refreshed in the background. */
const freshForMs = 10 * 60_000
/** How long after they were last read keys stay valid if they cannot be read again. */
const outliveMs = 60 * 60_000
/** The minimum pause between two attempts, whether successful or not. */
const pauseMs = 30_000

export interface RemoteKeysOptions {
  clock: () => number
  read: () => Promise<PublicJwk[]>
  /** Called with the reason when the keys could not be read. */
  onFault: (error: unknown) => void
  /** Keys that have been read just now */
  first?: readonly PublicJwk[] | undefined
}

/**
 * The remote keys of an issuer. They stay valid until others have been read successfully, but at most for an hour: a
 * server that is down, slow or broken does not affect tokens of known keys.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions
  #keys: readonly PublicJwk[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined

  constructor(options: RemoteKeysOptions) {
    this.#options = options
    if (options.first === undefined) return
    this.#keys = options.first
    this.#loadedAt = options.clock()
    this.#triedAt = this.#loadedAt
  }

  /** The matching keys, after another attempt if none matches. */
  async find(matches: (jwk: PublicJwk) => boolean): Promise<PublicJwk[]> {
    const now = this.#options.clock()
    this.#followClock(now)
    const known = this.#filter(matches)
    if (known.length > 0 && now - this.#loadedAt < freshForMs) return known
    // After a long pause a key may have been withdrawn long ago.
    const isIdle = now - this.#triedAt >= 2 * freshForMs
    const refreshed = this.#refresh()
    if (known.length > 0 && !isIdle) return known
    await refreshed
    return this.#filter(matches)
  }

  /** Keys that were read while the clock was ahead are as good as others, and are read again. */
  #followClock(now: number): void {
    if (this.#triedAt > now) this.#triedAt = Number.NEGATIVE_INFINITY
    if (this.#loadedAt > now) this.#loadedAt = now - freshForMs
  }

  #filter(matches: (jwk: PublicJwk) => boolean): PublicJwk[] {
    const age = this.#options.clock() - this.#loadedAt
    return age < outliveMs ? this.#keys.filter(matches) : []
  }

  /** Starts an attempt, unless one is running or has just ended. All callers share it. */
  #refresh(): Promise<void> {
    const now = this.#options.clock()
    if (this.#loading === undefined && now - this.#triedAt >= pauseMs) {
      this.#triedAt = now
      this.#loading = this.#load(now).finally(() => {
        this.#loading = undefined
      })
    }
    return this.#loading ?? Promise.resolve()
  }

  async #load(now: number): Promise<void> {
    try {
      this.#keys = await this.#options.read()
      this.#loadedAt = now
    } catch (error) {
      this.#options.onFault(error)
    }
  }
}
