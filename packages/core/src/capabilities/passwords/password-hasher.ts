import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import type { Observation } from '../../base/observe/observation.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import { bareHash, isExpiredHash } from './expired-hash.ts'
import { HashTurns } from './hash-turns.ts'
import { costOfArgon2, type HashCost } from './stored-hashes/hash-cost.ts'
import type { StoredHash } from './stored-hashes/hash-format.ts'
import { readStoredHash } from './stored-hashes/read-stored-hash.ts'

/** Node's default number of libuv threads: Node reads the environment variable once. */
const threads = Math.max(1, Number(process.env.UV_THREADPOOL_SIZE) || 4)

/**
 * Parameters of argon2id (RFC 9106). The defaults are OWASP's. Where they are raised, a user's hash from before stays
 * until the next sign-in, and the shorter duration of a wrong password tells a stranger that the e-mail has a user.
 */
export interface PasswordHashing {
  /** @default 19456 */
  memoryKiB?: number
  /** @default 2 */
  passes?: number
  /** @default 1 */
  lanes?: number
  /**
   * How many hashes are computed at once. Imported hashes that cost more than ours get one slot less, but at least one.
   *
   * @default one less than the machine's cores, at least 1, at most 3
   */
  concurrency?: number
  /** How many hashes of one account may wait; further ones are refused with `overloaded`. @default 128 */
  queueLength?: number
}

/**
 * Hashes and verifies passwords outside of the event loop. A hash occupies one of libuv's four threads for about 10 ms;
 * by default at least one thread stays free for other work. Accounts share the time: an account under attack, or with
 * expensive imported hashes, does not lock out the others.
 */
export class PasswordHasher {
  readonly #parameters: { memoryCost: number; timeCost: number; parallelism: number }
  readonly #cost: HashCost
  readonly #turns: HashTurns
  readonly #logger: Logger
  readonly #tell: Observation['hash']
  #decoy: Promise<string> | undefined

  constructor(options: PasswordHashing, logger: Logger, tell?: Observation['hash']) {
    this.#logger = logger
    this.#tell = tell
    const { memoryKiB = 19_456, passes = 2, lanes = 1, queueLength = 128 } = options
    const { concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)) } = options
    this.#parameters = { memoryCost: memoryKiB, timeCost: passes, parallelism: lanes }
    this.#cost = costOfArgon2(memoryKiB, passes)
    this.#turns = new HashTurns({ ownCost: this.#cost, concurrency, queueLength, threads })
  }

  /** @throws ClienteleError `overloaded` when too many hashes of the account wait */
  hash(accountId: string, password: string): Promise<string> {
    return this.#run(accountId, this.#cost, () => hash(password, this.#parameters))
  }

  /** The same for work in parts, which no refusal must end half way: `ImportTurns` bounds how many wait so. */
  hashPatiently(accountId: string, password: string): Promise<string> {
    return this.#run(accountId, this.#cost, () => hash(password, this.#parameters), true)
  }

  get load(): HashTurns['load'] {
    return this.#turns.load
  }

  /**
   * Checks before other work whether a hash would be refused.
   *
   * @throws ClienteleError `overloaded` when too many hashes of the account wait
   */
  assertRoom(accountId: string): void {
    this.#turns.assertRoom(accountId)
  }

  /**
   * Compares a password with a stored hash of any known format. Without a hash it compares with a decoy, so that an
   * unknown e-mail takes as long as a wrong password. A hash that cannot be read matches nothing and is logged as an
   * error, with the user's id and without the hash.
   *
   * @throws ClienteleError `overloaded` when too many hashes of the account wait
   */
  async verify(
    accountId: string,
    stored: string | null,
    password: string,
    userId?: string,
  ): Promise<boolean> {
    const details = { accountId, userId }
    const readable = stored === null ? undefined : this.#read(bareHash(stored), details)
    // Computed once, without waiting for a turn.
    this.#decoy ??= hash('decoy', this.#parameters).catch((error: unknown) => {
      this.#decoy = undefined
      throw error
    })
    const { verify, cost, textsOf } = readable ?? readStoredHash(await this.#decoy)
    // Each comparison in a turn of its own: together they may cost more than a hash is allowed.
    for (const text of textsOf?.(password) ?? [password]) {
      const matches = await this.#run(accountId, cost, () =>
        verify(text).catch((error: unknown) => {
          this.#alarm(error, details)
          return false
        }),
      )
      if (matches) return readable !== undefined
    }
    return false
  }

  /**
   * Whether a matching hash has other parameters than today's and should be replaced: otherwise the duration of a
   * sign-in would reveal which kind of hash a user has.
   */
  needsRehash(stored: string, password: string): boolean {
    const { memoryCost, timeCost, parallelism } = this.#parameters
    // Its user chooses another one now.
    if (isExpiredHash(stored)) return false
    if (stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)) {
      return false
    }
    // If the hash matches several texts, the typed one must not become the only valid password.
    const { isExact } = readStoredHash(stored)
    return isExact === undefined || isExact(password)
  }

  #run<T>(
    accountId: string,
    cost: HashCost,
    task: () => Promise<T>,
    isPatient = false,
  ): Promise<T> {
    const tell = this.#tell
    if (tell === undefined) return this.#turns.run(accountId, cost, task, isPatient)
    const cameAt = performance.now()
    const told = async () => {
      const startedAt = performance.now()
      try {
        return await task()
      } finally {
        const durationMs = performance.now() - startedAt
        tell({ startedAt, durationMs, waitedMs: startedAt - cameAt })
      }
    }
    return this.#turns.run(accountId, cost, told, isPatient)
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
}
