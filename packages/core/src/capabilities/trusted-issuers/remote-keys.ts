import type { PublicJwk } from './public-jwk.ts'

/** Keys older than this are read again beside the validations. */
const freshForMs = 10 * 60_000
/** So long after they were last read, keys verify while others cannot be read. */
const outliveMs = 60 * 60_000
/** After an attempt, whatever came of it, the next one waits this long. */
const pauseMs = 30_000

export interface RemoteKeysOptions {
  clock: () => number
  read: () => Promise<PublicJwk[]>
  /** Hears why they could not be read. */
  onFault: (error: unknown) => void
  /** What has been read just now */
  first?: readonly PublicJwk[] | undefined
}

/**
 * The keys of an issuer, which are somewhere else. They are kept until others have been read whole and well, for an hour
 * at most: a server that is down, slow or answers nonsense changes nothing for tokens of the keys that are known.
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

  /** The keys that match, after another look when none does. */
  async find(matches: (jwk: PublicJwk) => boolean): Promise<PublicJwk[]> {
    const known = this.#filter(matches)
    const now = this.#options.clock()
    if (known.length > 0 && now - this.#loadedAt < freshForMs) return known
    // Where nobody has looked for long, a key may have been withdrawn long ago.
    const isIdle = now - this.#triedAt >= 2 * freshForMs
    const refreshed = this.#refresh()
    if (known.length > 0 && !isIdle) return known
    await refreshed
    return this.#filter(matches)
  }

  #filter(matches: (jwk: PublicJwk) => boolean): PublicJwk[] {
    const age = this.#options.clock() - this.#loadedAt
    return age < outliveMs ? this.#keys.filter(matches) : []
  }

  /** Begins an attempt, unless one is under way or was made just now. All who wait share it. */
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
