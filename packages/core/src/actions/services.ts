import type { Background } from '../background.ts'
import type { PasswordPolicy } from '../domain/password-policy.ts'
import type { Events } from '../events.ts'
import type { Logger } from '../logger.ts'
import type { SendMail } from '../mail.ts'
import type { Repository } from '../repository.ts'
import type { AccessTokens } from '../security/access-tokens.ts'
import type { GuessLimit, GuessLimits } from '../security/guess-limits.ts'
import type { KeyRing } from '../security/key-ring.ts'
import type { PasswordHasher } from '../security/password-hasher.ts'
import type { SecretBox } from '../security/secret-box.ts'
import type { TrustedIssuers } from '../security/trusted-issuers.ts'
import type { Turns } from '../turns.ts'

/** What actions work with. Time and ids are passed in, so that a test can pass its own. */
export interface Services {
  repository: Repository
  /** Milliseconds since the epoch */
  clock: () => number
  /** UUIDv7, in ascending order */
  newId: () => string
  /** UUIDv7 too, and cheaper */
  newRequestId: () => string
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
  accessTokens: AccessTokens
  keyRing: KeyRing
  issuers: TrustedIssuers
  guesses: GuessLimits
  events: Events
  logger: Logger
  box: SecretBox
  background: Background
  turns: Turns
  /** How mail is sent; undefined where it is not */
  sendMail: SendMail | undefined
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
  refreshLimit: GuessLimit
}
