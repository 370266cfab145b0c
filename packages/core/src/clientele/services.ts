import type { Encryptor } from '../base/crypto/encryptor.ts'
import type { Observation } from '../base/observe/observation.ts'
import type { KeyedMutex } from '../base/runtime/keyed-mutex.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { TaskQueue } from '../base/runtime/task-queue.ts'
import type { Events } from '../capabilities/events/events.ts'
import type { FeedChain } from '../capabilities/events/feed-chain.ts'
import type { FeedLinking } from '../capabilities/events/feed-linking.ts'
import type { FeedWatch } from '../capabilities/events/feed-watch.ts'
import type { NewEvent } from '../capabilities/events/new-event.ts'
import type { RequestsUnderWay } from '../capabilities/idempotency/requests-under-way.ts'
import type { PasswordHasher } from '../capabilities/passwords/password-hasher.ts'
import type { PasswordPolicy } from '../capabilities/passwords/password-policy.ts'
import type { EventLimits } from '../capabilities/rate-limits/event-limits.ts'
import type { LoginThrottle, RateLimit } from '../capabilities/rate-limits/login-throttle.ts'
import type { KeyRing } from '../capabilities/signing-keys/key-ring.ts'
import type { KeySecrets } from '../capabilities/signing-keys/key-secrets.ts'
import type { SigningAlgorithm } from '../capabilities/signing-keys/signing-key.ts'
import type { AccessTokens } from '../capabilities/tokens/access-tokens.ts'
import type { TrustedIssuers } from '../capabilities/trusted-issuers/trusted-issuers.ts'
import type { SendMail } from '../capabilities/users/mail.ts'
import type { UserSchemas } from '../capabilities/users/user-input.ts'
import type { WebhookDelivery } from '../capabilities/webhooks/delivery-settings.ts'
import type { Repository } from '../repository/repository.ts'
import type { Sweeper } from './sweeper.ts'

/** What actions work with. Time and ids are passed in, so that a test can pass its own. */
export interface Services {
  repository: Repository
  /** Milliseconds since the epoch */
  clock: () => number
  /** UUIDv7, in ascending order */
  newId: () => string
  /** UUIDv7 too, and cheaper */
  newRequestId: () => string
  /** Whether a request's own `X-Request-Id` is taken over */
  trustsRequestIds: boolean
  /** Whether passwords are hashed before anything is read: in transactions of the host's */
  hashesFirst: boolean
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
  /** What is sent for users; it depends on the password policy */
  userSchemas: UserSchemas
  accessTokens: AccessTokens
  keyRing: KeyRing
  keySecrets: KeySecrets
  /** What our tokens are signed by */
  signingAlgorithm: SigningAlgorithm
  trustedIssuers: TrustedIssuers
  webhookDelivery: WebhookDelivery
  loginThrottle: LoginThrottle
  events: Events
  feedWatch: FeedWatch
  feedChain: FeedChain
  /** Undefined: there is no chain */
  sealEvent: ((event: NewEvent) => string) | undefined
  /** Undefined: there is no chain */
  feedLinking: FeedLinking | undefined
  sweeper: Sweeper
  eventLimits: EventLimits
  logger: Logger
  /** Undefined: nobody observes */
  observation: Observation | undefined
  encryptor: Encryptor
  tasks: TaskQueue
  mutex: KeyedMutex
  /** Those that came with an `Idempotency-Key` */
  requestsUnderWay: RequestsUnderWay
  /** How mail is sent; undefined where it is not */
  sendMail: SendMail | undefined
  /** Where the mount point is seen from outside, without a slash at its end; undefined: nobody has said */
  publicUrl: string | undefined
  /** What callers see before our paths; undefined: what the routes are mounted under */
  publicPath: string | undefined
  /** The part of an API key that says where it belongs: `live`, `test` */
  environment: string
  /** How long a session lives when it is not used, in seconds */
  sessionTtlSeconds: number
  /** How long use can keep a session alive, in seconds */
  sessionMaxSeconds: number
  /** For how long a used refresh token still gives its successor, in seconds */
  refreshReuseSeconds: number
  /** How often a session may be refreshed */
  refreshLimit: RateLimit
}
