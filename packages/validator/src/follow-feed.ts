import { setTimeout as sleep } from 'node:timers/promises'
import { assertOwnKey, KeyRefusal } from './assert-own-key.ts'
import { reach } from './reach.ts'
import type { Revocation, RevocationList } from './revocation-list.ts'
import type { ValidatorSettings } from './validator-options.ts'

/** How long a response may take beyond the requested wait, in milliseconds */
const patienceMs = 5_000
const firstPauseMs = 100
const longestPauseMs = 2_000
/** Statuses for an invalid cursor: the feed does not go back so far, or it is another feed. */
const lostCursor = [410, 422]

interface FeedAnswer {
  data: Revocation[]
  next_cursor: string
  has_more: boolean
}

/** Follows the feed of revocations by long polling, until it is closed. */
export class FeedFollower {
  readonly #settings: ValidatorSettings
  readonly #list: RevocationList
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  /** Resolves after the first attempt to read all relevant revocations, successful or not */
  readonly started: Promise<void>
  #tellStarted: () => void = () => {}
  /** When the feed was last read to its end, by `performance.now`; undefined: never */
  #heardAt: number | undefined
  #hasOwnKey = false
  #refusal: KeyRefusal | undefined

  constructor(settings: ValidatorSettings, list: RevocationList) {
    this.#settings = settings
    this.#list = list
    this.started = new Promise((resolve) => {
      this.#tellStarted = resolve
    })
    this.#ended = this.#follow()
  }

  /** The time since the feed was last read to its end */
  get stalenessSeconds(): number {
    if (this.#heardAt === undefined) return Number.POSITIVE_INFINITY
    return (performance.now() - this.#heardAt) / 1000
  }

  /** Why the API key was refused; undefined: it was not */
  get refusal(): KeyRefusal | undefined {
    return this.#refusal
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#ended
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing
    let after: string | undefined
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      try {
        after = await this.#read(after)
        pauseMs = firstPauseMs
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof FeedRefusal && lostCursor.includes(error.status)) after = undefined
        if (error instanceof KeyRefusal) this.#refusal ??= error
        this.#settings.onError(error)
        this.#tellStarted()
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      }
    }
    this.#tellStarted()
  }

  /** Reads the next page; returns the next cursor. */
  async #read(after: string | undefined): Promise<string> {
    const { baseUrl, apiKey, maxStalenessSeconds } = this.#settings
    // Do not wait before the first complete read. Afterwards poll twice before the data is stale.
    const waitSeconds =
      this.#heardAt === undefined ? 0 : Math.min(25, Math.floor(maxStalenessSeconds / 2))
    const query = new URLSearchParams({ limit: '1000', wait: String(waitSeconds) })
    if (after !== undefined) query.set('after', after)
    const timeout = AbortSignal.timeout(waitSeconds * 1000 + patienceMs)
    const signal = AbortSignal.any([timeout, this.#closing.signal])
    if (!this.#hasOwnKey) await assertOwnKey(this.#settings, signal)
    this.#hasOwnKey = true
    const startedAt = performance.now()
    const response = await reach(`${baseUrl}/client/user/auth/revocation?${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal,
      redirect: 'error',
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new FeedRefusal(response.status)
    }
    const { data, next_cursor, has_more } = (await response.json()) as FeedAnswer // as the OpenAPI document says
    for (const entry of data) this.#list.add(entry)
    this.#list.sweep()
    if (!has_more) {
      this.#heardAt = performance.now()
      this.#tellStarted()
    }
    // A server that shuts down, or has too many waiting readers, answers at once, and so does one without a `wait`: pause
    // before the next request.
    const hastyMs = Math.max(waitSeconds * 500, firstPauseMs)
    const isHasty = data.length === 0 && !has_more && performance.now() - startedAt < hastyMs
    const hastyPauseMs = Math.max(firstPauseMs, Math.min(waitSeconds * 200, 1_000))
    if (isHasty) await sleep(hastyPauseMs, undefined, { signal: this.#closing.signal })
    return next_cursor
  }
}

/** The feed answered with an error. */
class FeedRefusal extends Error {
  override readonly name = 'FeedRefusal'
  readonly status: number

  constructor(status: number) {
    super(`The feed of revocations answers with ${status}.`)
    this.status = status
  }
}
