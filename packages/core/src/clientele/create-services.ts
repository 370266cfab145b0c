import { Encryptor } from '../base/crypto/encryptor.ts'
import { StoredSecrets } from '../base/crypto/stored-secrets.ts'
import { readPublicUrl } from '../base/input/public-url.ts'
import type { Observation } from '../base/observe/observation.ts'
import { Outbound } from '../base/outbound/outbound.ts'
import { AccountRequests } from '../base/runtime/account-requests.ts'
import { BodyRoom } from '../base/runtime/body-room.ts'
import { createIdGenerator } from '../base/runtime/create-id-generator.ts'
import { createRequestIdGenerator } from '../base/runtime/create-request-id-generator.ts'
import { FairLimit } from '../base/runtime/fair-limit.ts'
import { KeyedMutex } from '../base/runtime/keyed-mutex.ts'
import { LargeResponses } from '../base/runtime/large-responses.ts'
import { consoleLogger } from '../base/runtime/logger.ts'
import { LoopTurns } from '../base/runtime/loop-turns.ts'
import { SignatureTurns } from '../base/runtime/signature-turns.ts'
import { TaskQueue } from '../base/runtime/task-queue.ts'
import { TimeShare } from '../base/runtime/time-share.ts'
import { WriteTurns } from '../base/runtime/write-turns.ts'
import type { BaseServices } from '../base/services.ts'
import { Events } from '../capabilities/events/events.ts'
import { FeedChain } from '../capabilities/events/feed-chain.ts'
import { FeedLinking } from '../capabilities/events/feed-linking.ts'
import { FeedWatch } from '../capabilities/events/feed-watch.ts'
import type { NewEvent } from '../capabilities/events/new-event.ts'
import { hooksOf } from '../capabilities/hooks/endpoint-hooks.ts'
import { HookRunner } from '../capabilities/hooks/hook-runner.ts'
import { RequestsUnderWay } from '../capabilities/idempotency/requests-under-way.ts'
import { ImportTurns } from '../capabilities/import-export/import-turns.ts'
import { PasswordHasher } from '../capabilities/passwords/password-hasher.ts'
import { EventLimits } from '../capabilities/rate-limits/event-limits.ts'
import { LoginThrottle } from '../capabilities/rate-limits/login-throttle.ts'
import { GroupTurns } from '../capabilities/scim/group-turns.ts'
import { issuerOf } from '../capabilities/signing-keys/issuer-name.ts'
import { KeyRing } from '../capabilities/signing-keys/key-ring.ts'
import { AccessTokens } from '../capabilities/tokens/access-tokens.ts'
import { TrustedIssuers } from '../capabilities/trusted-issuers/trusted-issuers.ts'
import { createUserSchemas } from '../capabilities/users/user-input.ts'
import type { ConsoleServices } from '../console/services.ts'
import type { MountServices } from '../mount/services.ts'
import type { Repository } from '../repository/repository.ts'
import type { CapabilityServices } from './capabilities.ts'
import type { ClienteleOptions } from './clientele-options.ts'
import { DatabaseClock } from './database-clock.ts'
import { defaultTokenTtlSeconds, readRetentionMs } from './event-retention.ts'
import { rateLimitStoreOf } from './rate-limit-store-of.ts'
import { hasSeveralSecrets, readSecrets } from './read-secrets.ts'
import { SteadyTime } from './steady-time.ts'
import { Sweeper } from './sweeper.ts'

/** All parts together: the services of each room, and those that only the whole needs. */
export type Services = BaseServices &
  CapabilityServices &
  ConsoleServices &
  MountServices & {
    /** Undefined: no chain */
    feedLinking: FeedLinking | undefined
    databaseClock: DatabaseClock
    sweeper: Sweeper
    repository: Repository
  }

/** When more requests than this wait for a connection, accounts take turns. */
const maxWaitingStatements = 16
/**
 * How many exports of persons read the person's rows, and how many erasures delete them, at once. Each runs a dozen statements:
 * with more of them, other accounts would wait for connections.
 */
const personsAtOnce = 4
const personsOfAccountAtOnce = 2
/** How many imports and exports over HTTP one account runs at once: each may take as long as its caller */
const transfersOfAccountAtOnce = 4
/** Each holds users or groups of an account in memory. The kinds take none of each other's places, as some take longer. */
const scimPlaces = { searches: 2, walks: 2, pages: 4 }
const day = 24 * 3600
const noPublicUrl = { publicUrl: undefined, publicPath: undefined }

/**
 * Creates the services of all rooms from checked options. Unless keys are lazy, it checks that stored secrets can be
 * decrypted.
 *
 * @throws ClienteleError `secret_required`, `secret_wrong`, `storage_unavailable`
 */
export async function createServices(
  options: ClienteleOptions,
  observation?: Observation,
): Promise<Services> {
  const { repository, logger = consoleLogger, passwords = {} } = options
  const databaseClock = new DatabaseClock({ readTime: repository.storage.readTime, logger })
  if (options.clock === undefined) await databaseClock.measure()
  const clock = options.clock ?? databaseClock.now
  const newId = createIdGenerator(clock)
  const newRequestId = createRequestIdGenerator(clock, newId)
  const encryptor = new Encryptor(() => readSecrets(options, logger))
  const storedSecrets = new StoredSecrets(repository.storage, encryptor)
  const { publicUrl, publicPath } =
    options.publicUrl === undefined ? noPublicUrl : readPublicUrl(options.publicUrl)
  const rateLimitStore = rateLimitStoreOf(options, clock)
  // Events
  const feedWatch = new FeedWatch({ repository, logger, clock, tell: observation?.feed })
  const feedLinking =
    options.audit?.chain === true ? new FeedLinking(repository, logger) : undefined
  const events = new Events(logger, (accountId) => {
    feedWatch.wake(accountId)
    feedLinking?.note(accountId)
  })
  const feedChain = new FeedChain(encryptor, {
    begins: options.audit?.chain ?? false,
    isSecretChecked: options.lazyKeys !== true,
  })
  repository.events.linkBy(feedChain)
  // A command of an operator seldom sets `audit.chain`, but has the time to check whether the feed has a chain.
  const isCommand = options.lazyKeys === true && options.secrets !== undefined
  const sealEvent =
    options.audit?.chain === true || isCommand
      ? (event: NewEvent) => feedChain.seal(event)
      : undefined
  // Signing keys, trusted issuers, tokens
  const ttlSeconds = options.tokenTtlSeconds ?? defaultTokenTtlSeconds
  const signingAlgorithm = options.signingAlgorithm ?? 'ES256'
  const keyRing = new KeyRing({
    repository,
    encryptor,
    storedSecrets,
    clock,
    newId,
    newRequestId,
    sealEvent,
    algorithm: signingAlgorithm,
    tokenLifeSeconds: ttlSeconds,
    publishSeconds: options.signingKeyPublishSeconds ?? 1200,
    maxAgeSeconds: options.signingKeyMaxAgeSeconds,
    logger,
    events,
  })
  const outbound = new Outbound(logger)
  const signatures = new SignatureTurns()
  const trustedIssuers = new TrustedIssuers({
    repository,
    encryptor,
    signatures,
    clock,
    logger,
    outbound,
    allowPrivateAddresses: options.trustedIssuers?.allowPrivateAddresses ?? false,
  })
  const accessTokens = new AccessTokens({
    keyRing,
    signatures,
    signings: new SignatureTurns(),
    clock,
    newId,
    issuerOf: (accountId) => issuerOf(publicUrl, accountId),
    type: options.tokenType ?? 'at+jwt',
    ttlSeconds,
  })
  if (options.lazyKeys !== true) {
    encryptor.deriveKeys()
    // With a single secret there is nothing to re-encrypt, so the users' secrets are not read.
    await storedSecrets.reencrypt({ ofUsers: hasSeveralSecrets(options) })
  }
  return {
    repository,
    // Base
    clock,
    newId,
    newRequestId,
    logger,
    observation,
    encryptor,
    storedSecrets,
    tasks: new TaskQueue(logger),
    outbound,
    publicUrl,
    publicPath,
    // Passwords, idempotency, rate limits
    passwords: new PasswordHasher(passwords.hashing ?? {}, logger, observation?.hash),
    passwordPolicy: passwords,
    requestsUnderWay: new RequestsUnderWay(),
    loginThrottle: new LoginThrottle(rateLimitStore, options.rateLimits ?? {}),
    eventLimits: new EventLimits(
      rateLimitStore,
      options.rateLimits?.unknownEmails ?? { points: 100, windowSeconds: 3600 },
      clock,
    ),
    // Hooks
    hooks: new HookRunner({
      hooks: hooksOf(options.hooks, { outbound, newId, clock }),
      logger,
      tell: observation?.hook,
    }),
    // Events
    events,
    feedWatch,
    feedChain,
    sealEvent,
    feedLinking,
    // Users, imports, personal data
    importTurns: new ImportTurns(),
    exportTurns: new FairLimit({
      atOnce: 2,
      atOncePerKey: 1,
      maxWaiting: 1_000,
      retryAfterSeconds: 1,
    }),
    transfers: new FairLimit({
      atOnce: Number.POSITIVE_INFINITY,
      atOncePerKey: transfersOfAccountAtOnce,
      maxWaiting: 0,
      retryAfterSeconds: 5,
    }),
    scimReads: new FairLimit({
      atOnce: Number.POSITIVE_INFINITY,
      atOncePerKey: 1,
      maxWaiting: 1_000,
      retryAfterSeconds: 1,
    }),
    scimSearches: createPlaces(scimPlaces.searches),
    scimWalks: createPlaces(scimPlaces.walks),
    scimPages: createPlaces(scimPlaces.pages),
    scimGroupTurns: new GroupTurns(),
    personExports: createPersonTurns(Number.POSITIVE_INFINITY),
    erasures: createPersonTurns(Number.POSITIVE_INFINITY),
    personTurns: createPersonTurns(personsAtOnce),
    userSchemas: createUserSchemas(passwords, options),
    mutex: new KeyedMutex(),
    largeResponses: new LargeResponses(),
    sendMail: options.sendMail,
    hashesFirst: false,
    // Signing keys, API keys, trusted issuers, webhooks, tokens
    keyRing,
    signingAlgorithm,
    environment: options.environment ?? 'live',
    trustedIssuers,
    webhookDelivery: {
      allowPrivateAddresses: options.webhooks?.allowPrivateAddresses ?? false,
      timeoutMs: (options.webhooks?.timeoutSeconds ?? 15) * 1000,
    },
    accessTokens,
    // Passkeys
    signatures,
    // Sessions
    sessionTtlSeconds: options.sessionTtlSeconds ?? 30 * day,
    sessionMaxSeconds: options.sessionMaxSeconds ?? 90 * day,
    refreshReuseSeconds: options.refreshReuseSeconds ?? 10,
    refreshLimit: options.rateLimits?.refresh ?? { points: 30, windowSeconds: 60 },
    // Handling requests, and sweeping
    trustsRequestIds: options.trustRequestIds ?? false,
    loopTurns: new LoopTurns(
      () => (repository.storage.poolLoad?.()?.waiting ?? 0) > maxWaitingStatements,
    ),
    readmittedTurns: new LoopTurns(() => false),
    strangersTurns: new LoopTurns(() => false),
    writeTurns: new WriteTurns(repository.storage.waitingWrites),
    databaseClock,
    bodyRoom: new BodyRoom(),
    accountRequests: new AccountRequests(),
    sweeper: new Sweeper({
      repository,
      clock,
      time: options.clock === undefined ? new SteadyTime({ clock }) : undefined,
      retentionMs: readRetentionMs(options),
      logger,
    }),
  }
}

/** Exports or erasures of persons, two of an account at a time */
function createPersonTurns(atOnce: number): FairLimit {
  return new FairLimit({
    atOnce,
    atOncePerKey: personsOfAccountAtOnce,
    maxWaiting: Number.POSITIVE_INFINITY,
    retryAfterSeconds: 1,
  })
}

function createPlaces(atOnce: number): TimeShare {
  const places: TimeShare = new TimeShare({ hasRoom: () => places.running < atOnce })
  return places
}
