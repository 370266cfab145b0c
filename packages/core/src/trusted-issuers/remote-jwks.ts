import { fetchJwks } from '../outbound/fetch-jwks.ts'
import type { Logger } from '../runtime/logger.ts'
import { findJwkProblem, type PublicJwk } from './public-jwk.ts'

/** Keys older than this are read again beside the validations. */
const freshForMs = 10 * 60_000
/** After an attempt, whatever came of it, the next one waits this long. */
const pauseMs = 30_000
const timeoutMs = 3_000
const maxBytes = 256 * 1024
const maxKeys = 100

export interface RemoteJwksOptions {
  accountId: string
  url: string
  clock: () => number
  logger: Logger
  allowPrivateAddresses: boolean
}

/**
 * The keys behind a URL. They are kept until others have been read whole and well: a server that is down, slow or
 * answers nonsense changes nothing for tokens of the keys that are known.
 */
export class RemoteJwks {
  readonly #options: RemoteJwksOptions
  #keys: readonly PublicJwk[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined

  constructor(options: RemoteJwksOptions) {
    this.#options = options
  }

  /** The keys that match, after another look when none does. */
  async find(matches: (jwk: PublicJwk) => boolean): Promise<PublicJwk[]> {
    const known = this.#keys.filter(matches)
    const now = this.#options.clock()
    if (known.length > 0 && now - this.#loadedAt < freshForMs) return known
    // Where nobody has looked for long, a key may have been withdrawn long ago.
    const isIdle = now - this.#triedAt >= 2 * freshForMs
    const refreshed = this.#refresh()
    if (known.length > 0 && !isIdle) return known
    await refreshed
    return this.#keys.filter(matches)
  }

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
    const { accountId, url, logger, allowPrivateAddresses } = this.#options
    try {
      const options = { accountId, timeoutMs, maxBytes, allowPrivateAddresses }
      const text = await fetchJwks(url, options)
      const usable = readKeys(text)
      if (usable.length === 0) throw new Error('The answer holds no key that verifies signatures.')
      this.#keys = usable
      this.#loadedAt = now
    } catch (error) {
      logger.warn({ url, error }, "A trusted issuer's keys could not be read; those known stay.")
    }
  }
}

function readKeys(text: string): PublicJwk[] {
  const document: unknown = JSON.parse(text)
  const keys = isObject(document) ? document.keys : undefined
  if (!Array.isArray(keys)) throw new Error('The answer is not a JWK set.')
  const list: unknown[] = keys
  return list
    .slice(0, maxKeys)
    .filter(isObject)
    .filter((jwk) => findJwkProblem(jwk) === undefined)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
