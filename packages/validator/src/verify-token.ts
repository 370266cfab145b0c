import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { ValidatorError, type ValidatorErrorCode } from './validator-error.ts'
import type { ValidatorSettings } from './validator-options.ts'

/** What a token says: the claims of RFC 9068, and the session. */
export interface TokenClaims extends JWTPayload {
  iss: string
  /** The account's id */
  aud: string
  /** The user's id */
  sub: string
  /** Seconds since the epoch, as `exp` is */
  iat: number
  exp: number
  jti: string
  /** The session's id */
  sid: string
}

export interface VerifiedToken {
  claims: TokenClaims
  kid: string
}

const algorithms = ['ES256', 'EdDSA', 'RS256']
const types = ['at+jwt', 'application/at+jwt', 'jwt']
/** How often a key set is asked for a key that it does not have */
const cooldownMs = 5_000
const timeoutMs = 5_000
const leewaySeconds = 5

/** Verifies signature and claims by the keys of the issuer, and remembers whom it has verified. */
export class TokenVerifier {
  readonly #settings: ValidatorSettings
  readonly #verified = new Map<string, VerifiedToken>()
  #keys: Promise<JWTVerifyGetKey> | undefined

  constructor(settings: ValidatorSettings) {
    this.#settings = settings
  }

  /** @throws ValidatorError */
  async verify(token: string): Promise<VerifiedToken> {
    const known = this.#verified.get(token)
    if (known !== undefined) {
      if (known.claims.exp > Date.now() / 1000) return known
      this.#verified.delete(token)
      throw new ValidatorError('token_expired')
    }
    const verified = await this.#verify(token)
    const [oldest] = this.#verified.keys()
    if (oldest !== undefined && this.#verified.size >= this.#settings.maxRemembered)
      this.#verified.delete(oldest)
    this.#verified.set(token, verified)
    return verified
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const { issuer, accountId, tokenTtlSeconds } = this.#settings
    const keys = await this.#findKeys()
    const { payload, protectedHeader } = await refuseByCode(() =>
      jwtVerify(token, keys, {
        algorithms,
        issuer,
        audience: accountId,
        requiredClaims: ['sub', 'iat', 'exp', 'jti', 'sid'],
      }),
    )
    const { aud, sub, iat = 0, exp = 0, jti, sid } = payload
    const { typ, kid } = protectedHeader
    const areTexts = [aud, sub, jti, sid].every((claim) => typeof claim === 'string')
    const isTyped = types.includes(typ?.toLowerCase() ?? '')
    // What was revoked longer ago than a token lives is forgotten.
    const isShort = exp - iat <= tokenTtlSeconds
    if (!areTexts || !isTyped || !isShort) throw new ValidatorError('token_claims_invalid')
    if (iat > Date.now() / 1000 + leewaySeconds) throw new ValidatorError('token_not_yet_valid')
    return { claims: payload as TokenClaims, kid: kid ?? '' } // each claim was looked at above
  }

  #findKeys(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#discover().catch((error: unknown) => {
      // The next one asks again.
      this.#keys = undefined
      this.#settings.onError(error)
      throw new ValidatorError('validator_unavailable', { cause: error })
    })
    return this.#keys
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { issuer, keySetUrl } = this.#settings
    const url = keySetUrl ?? (await discoverKeySet(issuer))
    const options = { cooldownDuration: cooldownMs, timeoutDuration: timeoutMs }
    return createRemoteJWKSet(new URL(url), options)
  }
}

/** Finds the key set by the issuer's metadata (OpenID Connect Discovery 1.0). */
async function discoverKeySet(issuer: string): Promise<string> {
  const url = `${issuer}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
  if (!response.ok) throw new Error(`${url} answers with ${response.status}.`)
  const metadata: unknown = await response.json()
  const { issuer: named, jwks_uri: found } = Object(metadata)
  if (named !== issuer || typeof found !== 'string')
    throw new Error(`${url} is not the metadata of this issuer.`)
  return found
}

async function refuseByCode(verify: () => Promise<JWTVerifyResult>): Promise<JWTVerifyResult> {
  try {
    return await verify()
  } catch (error) {
    throw new ValidatorError(codeOf(error), { cause: error })
  }
}

function codeOf(error: unknown): ValidatorErrorCode {
  if (error instanceof errors.JWTExpired) return 'token_expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isEarly = error.claim === 'nbf' && error.reason === 'check_failed'
    return isEarly ? 'token_not_yet_valid' : 'token_claims_invalid'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token_signature_invalid'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'token_unknown_key'
  if (error instanceof errors.JWKSNoMatchingKey) return 'token_unknown_key'
  // It names no key, which ours do.
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'token_unknown_key'
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
    return 'validator_unavailable'
  // What fetch throws, and an answer of the key set that is not 200
  const isTransport = error instanceof TypeError || error?.constructor === errors.JOSEError
  return isTransport ? 'validator_unavailable' : 'token_malformed'
}
