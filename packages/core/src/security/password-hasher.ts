import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import pLimit, { type LimitFunction } from 'p-limit'
import { ClienteleError } from '../errors.ts'

/** Parameters of argon2id (RFC 9106). The defaults are OWASP's. */
export interface PasswordHashing {
  /** @default 19456 */
  memoryKiB?: number
  /** @default 2 */
  passes?: number
  /** @default 1 */
  lanes?: number
  /** How many hashes are computed at once. @default one less than the machine's cores, at least 1, at most 3 */
  concurrency?: number
  /** How many hashes may wait; one more is refused with `overloaded`. @default 128 */
  queueLength?: number
}

/** Costs above these are not paid for a stored hash: one of 4 GiB would stop every other sign-in for many seconds. */
const maxMemoryKiB = 1024 * 1024
const maxPasses = 64
const maxLanes = 16

/**
 * Hashes and verifies passwords beside the event loop's thread. A hash takes one of libuv's four threads for about
 * 10 ms; by default one at least stays free for everything else.
 */
export class PasswordHasher {
  readonly #parameters: { memoryCost: number; timeCost: number; parallelism: number }
  readonly #limit: LimitFunction
  readonly #queueLength: number
  #decoy: Promise<string> | undefined

  constructor(options: PasswordHashing = {}) {
    const { memoryKiB = 19_456, passes = 2, lanes = 1, queueLength = 128 } = options
    const { concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)) } = options
    this.#parameters = { memoryCost: memoryKiB, timeCost: passes, parallelism: lanes }
    this.#limit = pLimit(concurrency)
    this.#queueLength = queueLength
  }

  /** @throws ClienteleError `overloaded` */
  hash(password: string): Promise<string> {
    return this.#run(() => hash(password, this.#parameters))
  }

  /**
   * Compares a password with a stored hash in PHC string format. Without a hash it compares with a decoy, so that an
   * unknown e-mail costs the time of a wrong password.
   *
   * @throws ClienteleError `overloaded`
   */
  async verify(stored: string | null, password: string): Promise<boolean> {
    const isUsable = stored !== null && isAffordable(stored)
    this.#decoy ??= this.hash('decoy').catch((error: unknown) => {
      this.#decoy = undefined
      throw error
    })
    const against = isUsable ? stored : await this.#decoy
    const matches = await this.#run(() => verify(against, password).catch(() => false))
    return isUsable && matches
  }

  /** Whether a hash was made with parameters other than today's. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = this.#parameters
    return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= this.#queueLength) {
      throw new ClienteleError('overloaded', undefined, { retryAfterSeconds: 2 })
    }
    return this.#limit(work)
  }
}

function isAffordable(stored: string): boolean {
  const match = /^\$argon2(?:id|i|d)\$v=\d+\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,3})\$/.exec(stored)
  if (match === null) return false
  const [memory, passes, lanes] = match.slice(1).map(Number)
  return (memory ?? 0) <= maxMemoryKiB && (passes ?? 0) <= maxPasses && (lanes ?? 0) <= maxLanes
}
