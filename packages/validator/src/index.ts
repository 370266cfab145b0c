/** Validates Clientele's tokens in your own process, and sees logouts within seconds. @module */
import { askClientele } from './ask-clientele.ts'
import { FeedFollower } from './follow-feed.ts'
import { readKeys } from './read-keys.ts'
import {
  assertAuthenticatedEnough,
  assertScopes,
  checkRequired,
  type RequiredAuthentication,
} from './required-authentication.ts'
import { RevocationList } from './revocation-list.ts'
import { ValidatorError } from './validator-error.ts'
import { readSettings, type ValidatorOptions } from './validator-options.ts'
import { type TokenClaims, TokenVerifier } from './verify-token.ts'

export type { RequiredAuthentication } from './required-authentication.ts'
export { ValidatorError, type ValidatorErrorCode } from './validator-error.ts'
export type { ValidatorOptions } from './validator-options.ts'
export type { TokenClaims } from './verify-token.ts'

/** The user and the claims of a token. */
export interface ValidToken {
  user: { id: string }
  claims: TokenClaims
}

export interface Validator {
  /**
   * Resolves with the user and the claims of a token, if it is valid now.
   *
   * @param token the JWT, without `Bearer`
   * @param required the scopes that the token needs, and how recent and how strong the sign-in has to be
   * @throws TypeError for a wrong option
   * @throws ValidatorError `token_malformed`, `token_signature_invalid`, `token_expired`, `token_not_yet_valid`,
   *   `token_claims_invalid`, `token_unknown_key`, `token_revoked`, `token_user_not_found`, `token_user_inactive`;
   *   `scope_insufficient`, `reauthentication_required`, `impersonation_refused`; `validator_unavailable` if validity
   *   cannot be decided
   */
  validate(token: string, required?: RequiredAuthentication): Promise<ValidToken>
  /** The time since the revocations were last read, in seconds; `Infinity` before the first read */
  readonly stalenessSeconds: number
  /** Stops reading the feed. */
  close(): Promise<void>
}

/** For different clocks, and for entries that are read late */
const marginMs = 10 * 60_000

/**
 * Makes a validator of an account's tokens. It uses the keys that the issuer publishes, and the feed of revocations. It
 * resolves once it has the keys. If Clientele stops after that, tokens stay valid for `maxStalenessSeconds`; then
 * `onStale` decides.
 *
 * @throws TypeError when an option is wrong, Clientele spells the issuer differently, or the API key is not the
 *   account's; ValidatorError `validator_unavailable` when the keys cannot be read within `startTimeoutSeconds`, with
 *   the reason as its `cause`
 * @example
 * import { createValidator } from '@clientele/validator'
 *
 * const issuer = 'https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
 * const validator = await createValidator({ issuer, apiKey: 'cu_live_…' })
 * const { user, claims } = await validator.validate('eyJ…')
 */
export async function createValidator(options: ValidatorOptions): Promise<Validator> {
  const settings = readSettings(options)
  const { maxStalenessSeconds, onStale, tokenTtlSeconds } = settings
  const revocations = new RevocationList(tokenTtlSeconds * 1000 + marginMs)
  const verifier = new TokenVerifier(settings)
  await readKeys(verifier, settings)
  const feed = new FeedFollower(settings, revocations)
  await feed.started
  if (feed.refusal !== undefined) {
    await feed.close()
    throw feed.refusal
  }
  return {
    get stalenessSeconds() {
      return feed.stalenessSeconds
    },
    validate: async (token, required = {}) => {
      checkRequired(required)
      const { claims, kid } = await verifier.verify(token)
      if (feed.stalenessSeconds > maxStalenessSeconds) await feed.started
      if (revocations.has(claims, kid)) throw new ValidatorError('token_revoked')
      if (feed.stalenessSeconds > maxStalenessSeconds) {
        if (onStale === 'reject') throw new ValidatorError('validator_unavailable')
        if (onStale === 'remote') await askClientele(settings, token)
      }
      assertScopes(claims, required)
      assertAuthenticatedEnough(claims, required)
      return { user: { id: claims.sub }, claims }
    },
    close: () => feed.close(),
  }
}
