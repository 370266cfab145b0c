import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import pLimit, { type LimitFunction } from 'p-limit'
import { ClienteleError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { StoredHash } from './stored-hashes/hash-format.ts'
import { readStoredHash } from './stored-hashes/read-stored-hash.ts'

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

/**
 * Hashes and verifies passwords beside the event loop's thread. A hash takes one of libuv's four threads for about
 * 10 ms; by default one at least stays free for everything else.
 */
export class PasswordHasher {
  readonly #parameters: { memoryCost: number; timeCost: number; parallelism: number }
  readonly #limit: LimitFunction
  readonly #queueLength: number
  readonly #logger: Logger
  #decoy: Promise<string> | undefined

  constructor(options: PasswordHashing, logger: Logger) {
    this.#logger = logger
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
   * Compares a password with a stored hash of any known form. Without a hash it compares with a decoy, so that an
   * unknown e-mail costs the time of a wrong password. A hash that can't be read matches nothing and is logged as an
   * error, with `details` and without the hash.
   *
   * @throws ClienteleError `overloaded`
   */
  async verify(stored: string | null, password: string, details: object = {}): Promise<boolean> {
    const readable = stored === null ? undefined : this.#read(stored, details)
    this.#decoy ??= this.hash('decoy').catch((error: unknown) => {
      this.#decoy = undefined
      throw error
    })
    const { verify } = readable ?? readStoredHash(await this.#decoy)
    const matches = await this.#run(() =>
      verify(password).catch((error: unknown) => {
        this.#alarm(error, details)
        return false
      }),
    )
    return readable !== undefined && matches
  }

  /**
   * Whether the hash that a password has matched was made with parameters other than today's, and is to be made anew: as
   * long as hashes differ in cost, the time of a sign-in tells them apart.
   */
  isOutdated(stored: string, password: string): boolean {
    const { memoryCost, timeCost, parallelism } = this.#parameters
    if (stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)) {
      return false
    }
    // Where several texts are one password, the one that was typed now must not become the only one.
    const { isExact } = readStoredHash(stored)
    return isExact === undefined || isExact(password)
  }

  #read(stored: string, details: object): StoredHash | undefined {
    try {
      return readStoredHash(stored)
    } catch (error) {
      this.#alarm(error, details)
      return undefined
    }
  }

  #alarm(error: unknown, details: object): void {
    const reason = error instanceof Error ? error.message : 'unknown'
    this.#logger.error(
      { ...details, reason },
      'A stored password hash cannot be verified: its user cannot sign in until the password is reset.',
    )
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= this.#queueLength) {
      throw new ClienteleError('overloaded', undefined, { retryAfterSeconds: 2 })
    }
    return this.#limit(work)
  }
}
