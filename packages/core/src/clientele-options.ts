import type { PasswordPolicy } from './domain/password-policy.ts'
import { ClienteleError } from './errors.ts'
import type { Logger } from './logger.ts'
import type { SendMail } from './mail.ts'
import type { Repository } from './repository.ts'
import type { RateLimits } from './security/guess-limits.ts'
import type { GuessStore } from './security/guess-store.ts'
import type { PasswordHashing } from './security/password-hasher.ts'
import { type SigningAlgorithm, signingAlgorithms } from './security/signing-key.ts'

export interface ClienteleOptions {
  /** Where everything is kept: `sqlite(…)` or `postgres(…)` */
  repository: Repository
  /**
   * What private keys are encrypted under: the first encrypts, all decrypt. At least 32 random characters each.
   * @default on SQLite one that is made in a file beside the database; on PostgreSQL there is none
   */
  secrets?: readonly string[]
  /** `iss` of the tokens. @default 'clientele' */
  issuer?: string
  /** @default 'EdDSA' */
  signingAlgorithm?: SigningAlgorithm
  /** From which age on the signing key is replaced, in seconds; at least an hour. @default by command only */
  signingKeyMaxAgeSeconds?: number
  /** How long a token is valid, in seconds. @default 7200 */
  tokenTtlSeconds?: number
  /** How long a session lives when it is not used, in seconds. @default 30 days */
  sessionTtlSeconds?: number
  /** How long use can keep a session alive, in seconds. @default 90 days */
  sessionMaxSeconds?: number
  /**
   * For how long a used refresh token still gives the same successor, in seconds; used after that it counts as stolen.
   * @default 10
   */
  refreshReuseSeconds?: number
  trustedIssuers?: {
    /**
     * Allows a `jwks_url` with http, or within a private network: for development, and where accounts are not managed by
     * strangers. @default false
     */
    allowPrivateAddresses?: boolean
  }
  passwords?: PasswordPolicy & { hashing?: PasswordHashing }
  /** Sends mail to users: codes, resets, verifications. @default none is sent */
  sendMail?: SendMail
  /** How many guesses at passwords, codes and resets pass. */
  rateLimits?: RateLimits
  /** The part of a new API key that says where it belongs, a to z. @default 'live' */
  environment?: string
  /** Whether to bring the schema up to date at the start. @default true */
  migrate?: boolean
  /** @default warnings and errors go to standard error */
  logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  clock?: () => number
}

const minSecretLength = 32
/** As long as a timer in Node can be */
const maxWindowSeconds = 2_147_483

/** @throws ClienteleError `configuration_invalid` */
export function checkOptions(options: ClienteleOptions): void {
  const {
    environment = 'live',
    signingAlgorithm = 'EdDSA',
    signingKeyMaxAgeSeconds = 3600,
    tokenTtlSeconds = 1,
    sessionTtlSeconds = 1,
    sessionMaxSeconds = 1,
    refreshReuseSeconds = 0,
  } = options
  const refuse = (message: string): never => {
    throw new ClienteleError('configuration_invalid', message)
  }
  if (!/^[a-z]{1,16}$/.test(environment)) refuse('environment must be 1 to 16 letters from a to z.')
  if (!signingAlgorithms.includes(signingAlgorithm)) {
    refuse(`signingAlgorithm must be one of ${signingAlgorithms.join(', ')}.`)
  }
  if (!Number.isInteger(signingKeyMaxAgeSeconds) || signingKeyMaxAgeSeconds < 3600) {
    refuse('signingKeyMaxAgeSeconds must be a whole number from 3600.')
  }
  if (!Number.isInteger(tokenTtlSeconds) || tokenTtlSeconds < 1)
    refuse('tokenTtlSeconds must be a whole number from 1.')
  if (!Number.isInteger(sessionTtlSeconds) || sessionTtlSeconds < 1) {
    refuse('sessionTtlSeconds must be a whole number from 1.')
  }
  if (!Number.isInteger(sessionMaxSeconds) || sessionMaxSeconds < 1) {
    refuse('sessionMaxSeconds must be a whole number from 1.')
  }
  if (!Number.isInteger(refreshReuseSeconds) || refreshReuseSeconds < 0) {
    refuse('refreshReuseSeconds must be a whole number from 0.')
  }
  for (const kind of ['login', 'twoFactor', 'reset'] as const) {
    const { points = 1, windowSeconds = 1 } = options.rateLimits?.[kind] ?? {}
    if (!Number.isInteger(points) || points < 1) {
      refuse(`rateLimits.${kind}.points must be a whole number from 1.`)
    }
    if (!Number.isInteger(windowSeconds) || windowSeconds < 1 || windowSeconds > maxWindowSeconds) {
      refuse(
        `rateLimits.${kind}.windowSeconds must be a whole number from 1 to ${maxWindowSeconds}.`,
      )
    }
  }
}

/** A short secret can be found by trying, by whoever has a copy of the database. */
export function warnOfShortSecrets({ secrets = [] }: ClienteleOptions, logger: Logger): void {
  if (secrets.every((secret) => secret.length >= minSecretLength)) return
  logger.warn(
    {},
    `A secret has fewer than ${minSecretLength} characters. Make one with: openssl rand -base64 32.`,
  )
}

/** The secret beside the data, where there is a place for it. @throws ClienteleError `secret_required` */
export function findSecrets(repository: Repository, logger: Logger): string[] {
  if (repository.localSecret === undefined) {
    throw new ClienteleError(
      'secret_required',
      'Set a secret that every process shares: CLIENTELE_SECRET for the server and the command line, `secrets` for ' +
        'createClientele. Make one with: openssl rand -base64 32.',
    )
  }
  const { secret, madeFile } = repository.localSecret()
  if (madeFile !== undefined)
    logger.warn({ file: madeFile }, 'A secret was made: keep this file with the database.')
  return [secret]
}

/** Where failed guesses are counted. */
export function guessStoreOf(
  { repository, rateLimits }: ClienteleOptions,
  clock: () => number,
): GuessStore {
  const store = rateLimits?.store ?? 'database'
  if (store === 'memory') return { kind: 'memory' }
  return store === 'database'
    ? { kind: 'database', repository, clock }
    : { kind: 'redis', client: store.redis }
}
