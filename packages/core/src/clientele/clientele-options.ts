import { z } from 'zod'
import { minSecretLength } from '../base/crypto/min-secret-length.ts'
import { ClienteleError } from '../base/errors.ts'
import { aFunction, anyOf, checkConfiguration, objectWith } from '../base/input/configuration.ts'
import { isPublicUrl } from '../base/input/public-url.ts'
import type { CreateObserver } from '../base/observe/observer.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { PasswordHashing } from '../capabilities/passwords/password-hasher.ts'
import {
  maxPasswordLength,
  type PasswordPolicy,
} from '../capabilities/passwords/password-policy.ts'
import type { RateLimits } from '../capabilities/rate-limits/login-throttle.ts'
import type { RateLimitStore } from '../capabilities/rate-limits/rate-limit-store.ts'
import {
  type SigningAlgorithm,
  signingAlgorithms,
} from '../capabilities/signing-keys/signing-key.ts'
import { type TokenType, tokenTypes } from '../capabilities/tokens/access-tokens.ts'
import type { SendMail } from '../capabilities/users/mail.ts'
import type { Repository } from '../repository/repository.ts'
import type { HostSchemas } from '../user-model/host-schemas.ts'

export interface ClienteleOptions extends HostSchemas {
  /** Where everything is kept: `sqlite(…)` or `postgres(…)` */
  repository: Repository
  /**
   * What private keys are encrypted under: the first encrypts, all decrypt. At least 16 characters each; make one with
   * `openssl rand -base64 32`.
   * @default on SQLite one that is made in a file beside the database; on PostgreSQL there is none
   */
  secrets?: readonly string[]
  /**
   * Whether the secrets, and the keys that are encrypted under them, are read only when something needs them: for a
   * program that does one thing and ends, such as a command line. Without it a wrong secret is found at the start, and
   * what is encrypted under an old one is encrypted again. @default false
   */
  lazyKeys?: boolean
  /**
   * Where the mount point is seen from outside, `https://api.example.com/api/v1`: `iss` of the tokens begins with it, so
   * that verifiers find an account's keys there, and `Location` and `Link` begin with its path. The same in every
   * process; when it changes, tokens that were signed before are refused.
   * @default none: `iss` is `urn:clientele:account:<id>`, and paths begin with what the routes are mounted under
   */
  publicUrl?: string
  /**
   * Whether a request's own `X-Request-Id` (1 to 200 visible characters of ASCII) is the id that the response, log lines
   * and events have: for requests that come through a proxy of yours, which sets it. @default false, each gets a new one
   */
  trustRequestIds?: boolean
  /** What tokens are signed by; many verifiers refuse EdDSA. @default 'ES256' */
  signingAlgorithm?: SigningAlgorithm
  /** `typ` of the tokens: some verifiers refuse the one of RFC 9068. @default 'at+jwt' */
  tokenType?: TokenType
  /**
   * For how long a new signing key is in the key set before it signs, in seconds: as long as verifiers keep a key set.
   * @default 1200
   */
  signingKeyPublishSeconds?: number
  /** From which age on an account's signing key is replaced, in seconds; at least an hour. @default by command only */
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
     * Allows a `jwksUrl` with http, or at a private or loopback address: for development, and where accounts are not
     * managed by strangers. Metadata services and other link-local addresses stay refused. @default false
     */
    allowPrivateAddresses?: boolean
  }
  events?: {
    /** For how long events are kept, in days. @default 90 */
    retentionDays?: number
  }
  audit?: {
    /**
     * Whether each event is linked to the one before by a keyed digest, so that `events.verify` finds what was changed,
     * moved, taken out or put in behind Clientele's back. A feed that has begun a chain keeps it, and calls forged what a
     * process writes that does not say so here. @default false
     */
    chain?: boolean
  }
  webhooks?: {
    /**
     * Whether this process sends events to the webhooks of all accounts. Any number of processes may; without any,
     * nothing is sent, and what happens waits. @default false
     */
    deliver?: boolean
    /** How long a receiver may take to answer, in seconds; at most 15. @default 15 */
    timeoutSeconds?: number
    /**
     * Allows webhooks with http, or at a private or loopback address: for development, and where accounts are not managed
     * by strangers. Metadata services and other link-local addresses stay refused. @default false
     */
    allowPrivateAddresses?: boolean
  }
  passwords?: PasswordPolicy & { hashing?: PasswordHashing }
  /** Sends mail to users: codes, resets, verifications. @default none is sent */
  sendMail?: SendMail
  /** How many failed sign-ins, wrong codes and requested resets pass. */
  rateLimits?: RateLimits
  /** The part of a new API key that says where it belongs, a to z. @default 'live' */
  environment?: string
  /**
   * Whether to bring the schema up to date at the start; without, a schema that is not is `migration_missing`.
   * @default true
   */
  migrate?: boolean
  /**
   * Who hears what is done: logs of requests, metrics, traces. See guides/observability.md. @default nobody
   *
   * @example
   * const log: CreateObserver = () => ({ request: ({ route, status }) => console.log(route, status) })
   * await createClientele({ repository, observers: [openTelemetry(), log] })
   */
  observers?: readonly CreateObserver[]
  /** @default warnings and errors go to standard error */
  logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  clock?: () => number
}

/** As long as a timer in Node can be */
const maxWindowSeconds = 2_147_483

const seconds = z.int().min(1)
const rateLimit = z.strictObject({
  points: z.int().min(1),
  windowSeconds: seconds.max(maxWindowSeconds),
})
const fieldSchema = () =>
  objectWith(
    ['~standard.validate', '~standard.jsonSchema.input', '~standard.jsonSchema.output'],
    'a schema of zod 4.2 or newer, or another that follows Standard Schema and Standard JSON Schema',
  )
const isLongSecret = (secret: string): boolean => secret.trim().length >= minSecretLength
const shortSecret = {
  message: `must have at least ${minSecretLength} characters: openssl rand -base64 32`,
  params: { code: 'too_short' },
}
const optionSchemas: Record<keyof ClienteleOptions, z.ZodType> = {
  repository: objectWith(
    ['storage.migrate', 'storage.ping', 'storage.close'],
    'sqlite(…) or postgres(…)',
  ),
  secrets: z.array(z.string().refine(isLongSecret, shortSecret)).optional(),
  lazyKeys: z.boolean().optional(),
  publicUrl: z
    .string()
    .refine(isPublicUrl, {
      message: 'must be an http or https URL without user, query and fragment',
      params: { code: 'format' },
    })
    .optional(),
  trustRequestIds: z.boolean().optional(),
  signingAlgorithm: z.enum(signingAlgorithms).optional(),
  tokenType: z.enum(tokenTypes).optional(),
  signingKeyPublishSeconds: z.int().min(0).optional(),
  signingKeyMaxAgeSeconds: seconds.min(3600).optional(),
  tokenTtlSeconds: seconds.optional(),
  sessionTtlSeconds: seconds.optional(),
  sessionMaxSeconds: seconds.optional(),
  refreshReuseSeconds: z.int().min(0).optional(),
  trustedIssuers: z.strictObject({ allowPrivateAddresses: z.boolean().optional() }).optional(),
  events: z
    .strictObject({ retentionDays: z.number().positive().max(36_500).optional() })
    .optional(),
  audit: z.strictObject({ chain: z.boolean().optional() }).optional(),
  webhooks: z
    .strictObject({
      deliver: z.boolean().optional(),
      timeoutSeconds: z.number().positive().max(15).optional(),
      allowPrivateAddresses: z.boolean().optional(),
    })
    .optional(),
  passwords: z
    .strictObject({
      minLength: z.int().min(1).max(maxPasswordLength).optional(),
      isBreached: aFunction().optional(),
      hashing: z
        .strictObject({
          memoryKiB: z.int().min(8).optional(),
          passes: z.int().min(1).optional(),
          lanes: z.int().min(1).optional(),
          concurrency: z.int().min(1).optional(),
          queueLength: z.int().min(0).optional(),
        })
        .optional(),
    })
    .optional(),
  sendMail: aFunction().optional(),
  rateLimits: z
    .strictObject({
      store: anyOf(
        [z.literal(['database', 'memory']), z.strictObject({ redis: objectWith([], '') })],
        "must be 'database', 'memory' or { redis: client }",
      ).optional(),
      login: rateLimit.optional(),
      mfa: rateLimit.optional(),
      reset: rateLimit.optional(),
      refresh: rateLimit.optional(),
      unknownEmails: rateLimit.optional(),
    })
    .optional(),
  metadata: fieldSchema().optional(),
  roles: fieldSchema().optional(),
  environment: z
    .string()
    .regex(/^[a-z]{1,16}$/, 'must be 1 to 16 letters from a to z')
    .optional(),
  migrate: z.boolean().optional(),
  observers: z.array(aFunction()).optional(),
  logger: objectWith(['info', 'warn', 'error'], 'a logger').optional(),
  clock: aFunction().optional(),
}
const optionsSchema = z.strictObject(optionSchemas)

/** @throws ClienteleError `configuration_invalid` */
export function checkOptions(options: ClienteleOptions): void {
  checkConfiguration(optionsSchema, options, 'createClientele({ repository })')
}

/**
 * The secrets that were given, else the one beside the data, where there is a place for it.
 *
 * @throws ClienteleError `secret_required`
 */
export function readSecrets(
  { repository, secrets }: ClienteleOptions,
  logger: Logger,
): readonly string[] {
  return secrets ?? [findLocalSecret(repository, logger)]
}

function findLocalSecret(repository: Repository, logger: Logger): string {
  if (repository.storage.localSecret === undefined) {
    throw new ClienteleError(
      'secret_required',
      'Set a secret that every process shares: CLIENTELE_SECRET for the server and the command line, `secrets` for ' +
        'createClientele. Make one with: openssl rand -base64 32.',
    )
  }
  const { secret, madeFile, openFile } = repository.storage.localSecret()
  if (madeFile !== undefined)
    logger.warn({ file: madeFile }, 'A secret was made: keep this file with the database.')
  if (openFile !== undefined)
    logger.warn(
      { file: openFile },
      'Everybody on this machine could read the secret. Only the owner of its file may now, where that could be set.',
    )
  return secret
}

/** Where failed attempts are counted. */
export function rateLimitStoreOf(
  { repository, rateLimits }: ClienteleOptions,
  clock: () => number,
): RateLimitStore {
  const store = rateLimits?.store ?? 'database'
  if (store === 'memory') return { kind: 'memory' }
  return store === 'database'
    ? { kind: 'database', counts: repository.rateLimits, clock }
    : { kind: 'redis', client: store.redis }
}
