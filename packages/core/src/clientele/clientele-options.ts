import type { CreateObserver } from '../base/observe/observer.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { ClienteleHooks, HookEndpoint } from '../capabilities/hooks/hook-types.ts'
import type { PasswordHashing } from '../capabilities/passwords/password-hasher.ts'
import type { PasswordPolicy } from '../capabilities/passwords/password-policy.ts'
import type { RateLimits } from '../capabilities/rate-limits/login-throttle.ts'
import type { SigningAlgorithm } from '../capabilities/signing-keys/signing-key.ts'
import type { TokenType } from '../capabilities/tokens/access-tokens.ts'
import type { SendMail } from '../capabilities/users/mail.ts'
import type { Repository } from '../repository/repository.ts'
import type { HostSchemas } from '../user-model/host-schemas.ts'

export interface ClienteleOptions extends HostSchemas {
  /** The storage: `sqlite(…)` or `postgres(…)` */
  repository: Repository
  /**
   * The secrets that private keys are encrypted under: the first one encrypts, all of them decrypt. At least 16
   * characters each, 8 of them different; create one with `openssl rand -base64 32`.
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
    /**
     * How long events are kept, in days: at least as long as tokens live. The shortest time of all processes decides.
     * @default 90
     */
    retentionDays?: number
  }
  /**
   * Whether this process deletes expired rows and old events of all accounts, each minute. One process has to: with
   * `false` leave it to others, as a command line does. @default true
   */
  deleteExpired?: boolean
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
