import type { Services } from './services.ts'
import { resealTotpSecrets } from './mfa/totp-factor.ts'
import { Background } from './runtime/task-queue.ts'
import { type ClienteleOptions, findSecrets, guessStoreOf } from './clientele-options.ts'
import { createIdGenerator } from './runtime/create-id-generator.ts'
import { createRequestIdGenerator } from './runtime/create-request-id-generator.ts'
import { readPublicPath } from './input/public-url.ts'
import { Events } from './events/events.ts'
import { consoleLogger } from './runtime/logger.ts'
import { AccessTokens } from './tokens/access-tokens.ts'
import { GuessLimits } from './rate-limits/login-throttle.ts'
import { KeyRing } from './signing-keys/key-ring.ts'
import { PasswordHasher } from './passwords/password-hasher.ts'
import { SecretBox } from './crypto/encryptor.ts'
import { TrustedIssuers } from './trusted-issuers/trusted-issuers.ts'
import { Turns } from './runtime/keyed-mutex.ts'

const day = 24 * 3600

/**
 * Makes what the actions work with, from options that have been checked, and sees that what is encrypted in the
 * database can be read.
 *
 * @throws ClienteleError `secret_required`, `secret_wrong`, `storage_unavailable`
 */
export async function createServices(options: ClienteleOptions): Promise<Services> {
  const { repository, clock = Date.now, logger = consoleLogger, passwords = {} } = options
  const newId = createIdGenerator(clock)
  const events = new Events(logger)
  const ttlSeconds = options.tokenTtlSeconds ?? 7200
  const box = new SecretBox(options.secrets ?? findSecrets(repository, logger))
  const keyRing = new KeyRing({
    repository,
    box,
    clock,
    algorithm: options.signingAlgorithm ?? 'EdDSA',
    tokenLifeSeconds: ttlSeconds,
    maxAgeSeconds: options.signingKeyMaxAgeSeconds,
    logger,
    onRotated: (rotation) => events.emit('signing_key.rotated', rotation),
  })
  await keyRing.reload()
  await keyRing.reseal()
  const { allowPrivateAddresses = false } = options.trustedIssuers ?? {}
  const issuers = new TrustedIssuers({ repository, box, clock, logger, allowPrivateAddresses })
  await issuers.reseal()
  if ((options.secrets?.length ?? 0) > 1) await resealTotpSecrets({ repository, box })
  return {
    repository,
    clock,
    newId,
    newRequestId: createRequestIdGenerator(clock, newId),
    logger,
    box,
    background: new Background(logger),
    turns: new Turns(),
    sendMail: options.sendMail,
    publicPath: options.publicUrl === undefined ? undefined : readPublicPath(options.publicUrl),
    keyRing,
    issuers,
    guesses: new GuessLimits(guessStoreOf(options, clock), options.rateLimits ?? {}),
    passwords: new PasswordHasher(passwords.hashing ?? {}, logger),
    passwordPolicy: passwords,
    accessTokens: new AccessTokens({
      keyRing,
      clock,
      newId,
      issuer: options.issuer ?? 'clientele',
      ttlSeconds,
    }),
    events,
    environment: options.environment ?? 'live',
    sessionTtlSeconds: options.sessionTtlSeconds ?? 30 * day,
    sessionMaxSeconds: options.sessionMaxSeconds ?? 90 * day,
    refreshReuseSeconds: options.refreshReuseSeconds ?? 10,
    refreshLimit: options.rateLimits?.refresh ?? { points: 30, windowSeconds: 60 },
  }
}
