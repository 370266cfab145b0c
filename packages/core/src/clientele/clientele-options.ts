import { z } from 'zod'
import { minSecretLength } from '../base/crypto/min-secret-length.ts'
import { ClienteleError } from '../base/errors.ts'
import { aFunction, anyOf, checkConfiguration, objectWith } from '../base/input/configuration.ts'
import { isPublicUrl } from '../base/input/public-url.ts'
import type { CreateObserver } from '../base/observe/observer.ts'
import { findUrlProblem } from '../base/outbound/outbound-url.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { ClienteleHooks, HookEndpoint } from '../capabilities/hooks/hook-types.ts'
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
  /** The storage: `sqlite(…)` or `postgres(…)` */
  repository: Repository
  /**
   * The secrets that private keys are encrypted under: the first one encrypts, all of them decrypt. At least 16
   * characters each; create one with `openssl rand -base64 32`.
   * @default on SQLite one that is generated in a file beside the database; required on PostgreSQL
   */
  secrets?: readonly string[]
  /**
   * Whether the secrets, and the keys that are encrypted under them, are read only when needed: for a program that does
   * one thing and ends, such as a command line. Otherwise a wrong secret is reported at the start, and data under an
   * old secret is re-encrypted. @default false
   */
  lazyKeys?: boolean
  /**
   * The URL of the mount point as clients see it, `https://api.example.com/api/v1`. The tokens' `iss` begins with it,
   * so that verifiers find an account's keys there. `Location` and `Link` begin with its path. It must be the same in
   * every process; when it changes, existing tokens are refused.
   * @default none: `iss` is `urn:clientele:account:<id>`, and paths begin with the path that the routes are mounted
   * under
   */
  publicUrl?: string
  /**
   * Whether the `X-Request-Id` of a request (1 to 200 visible characters of ASCII) becomes the request's id in the
   * response, log lines and events: for requests through a proxy of yours that sets it. @default false, each request
   * gets a new id
   */
  trustRequestIds?: boolean
  /** The algorithm that signs tokens; many verifiers refuse EdDSA. @default 'ES256' */
  signingAlgorithm?: SigningAlgorithm
  /** The tokens' `typ`: some verifiers refuse that of RFC 9068. @default 'at+jwt' */
  tokenType?: TokenType
  /**
   * How long a new signing key is published in the key set before it signs, in seconds: as long as verifiers cache a
   * key set.
   * @default 1200
   */
  signingKeyPublishSeconds?: number
  /** The age at which an account's signing key is replaced, in seconds; at least an hour. @default by command only */
  signingKeyMaxAgeSeconds?: number
  /** How long a token is valid, in seconds. @default 7200 */
  tokenTtlSeconds?: number
  /** How long an unused session lives, in seconds. @default 30 days */
  sessionTtlSeconds?: number
  /** How long use can keep a session alive, in seconds. @default 90 days */
  sessionMaxSeconds?: number
  /**
   * How long a used refresh token still yields the same successor, in seconds; a later use counts as theft.
   * @default 10
   */
  refreshReuseSeconds?: number
  /** What documents of other issuers may be read. */
  trustedIssuers?: {
    /**
     * Allows a `jwksUrl` with http, or at a private or loopback address: for development, and if only trusted people
     * manage accounts. Metadata services and other link-local addresses stay refused. @default false
     */
    allowPrivateAddresses?: boolean
  }
  /** The feed of events. */
  events?: {
    /** How long events are kept, in days. @default 90 */
    retentionDays?: number
  }
  /** Proof that no event was changed outside of Clientele. */
  audit?: {
    /**
     * Whether each event is linked to the previous one by a keyed digest, so that `events.verify` detects events that
     * were changed, moved, removed or inserted outside of Clientele. A feed that has begun a chain keeps it: events
     * from a process without this option count as forged. @default false
     */
    chain?: boolean
  }
  /** Deliveries of events to the endpoints of accounts. */
  webhooks?: {
    /**
     * Whether this process delivers events to the webhooks of all accounts. Any number of processes may; without any,
     * events wait. @default false
     */
    deliver?: boolean
    /** The timeout for a receiver's response, in seconds; at most 15. @default 15 */
    timeoutSeconds?: number
    /**
     * Allows webhooks with http, or at a private or loopback address: for development, and if only trusted people
     * manage accounts. Metadata services and other link-local addresses stay refused. @default false
     */
    allowPrivateAddresses?: boolean
  }
  /** What new passwords must be, and what hashing them costs. @default 6 characters; argon2id */
  passwords?: PasswordPolicy & { hashing?: PasswordHashing }
  /** Sends e-mails to users: codes, resets, verifications. @default none: no e-mail is sent */
  sendMail?: SendMail
  /**
   * Your rules: functions that are asked before a user is created or changed and before a sign-in, and for further claims
   * of tokens; or a service of yours, which gets signed requests. See guides/hooks.md. @default none
   *
   * @example
   * const tokenClaims = ({ roles }: { roles: string[] }) => ({ roles })
   * await createClientele({ repository, hooks: { tokenClaims } })
   */
  hooks?: ClienteleHooks | HookEndpoint
  /** How many failed sign-ins, wrong codes and requested resets are allowed. */
  rateLimits?: RateLimits
  /** The part of a new API key that names its environment, a to z. @default 'live' */
  environment?: string
  /**
   * Whether to migrate the schema at the start; otherwise an outdated schema fails with `migration_missing`.
   * @default true
   */
  migrate?: boolean
  /**
   * Instrumentation hooks: request logs, metrics, traces. See guides/observability.md. @default none
   *
   * @example
   * const log: CreateObserver = () => ({ request: ({ route, status }) => console.log(route, status) })
   * await createClientele({ repository, observers: [openTelemetry(), log] })
   */
  observers?: readonly CreateObserver[]
  /** Gets what is worth a look. @default warnings and errors go to standard error */
  logger?: Logger
  /**
   * Milliseconds since the epoch; the same in every process.
   * @default Date.now, corrected by the time of the database's server if they differ by more than a second
   */
  clock?: () => number
}

/** The longest delay of a Node timer */
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
  hooks: anyOf(
    [
      z.strictObject({
        beforeCreate: aFunction().optional(),
        beforeUpdate: aFunction().optional(),
        beforeSignIn: aFunction().optional(),
        tokenClaims: aFunction().optional(),
      }),
      z.strictObject({
        url: z.string().refine((text) => findUrlProblem(text, true) === undefined),
        secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
      }),
    ],
    'must have functions (beforeCreate, beforeUpdate, beforeSignIn, tokenClaims), or url and secret: an http or https URL without credentials, and whsec_ with 24 to 64 bytes in base64',
  ).optional(),
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
 * The given secrets, otherwise the one stored beside the data, if the storage has a place for it.
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
    logger.warn({ file: madeFile }, 'A secret was generated: keep this file with the database.')
  if (openFile !== undefined)
    logger.warn(
      { file: openFile },
      'Every user of this machine could read the secret. Its file was made readable by its owner only, if that was possible.',
    )
  return secret
}

/** The store that counts failed attempts. */
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
