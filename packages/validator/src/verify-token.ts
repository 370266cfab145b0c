import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { describeDifference } from './describe-difference.ts'
import { freezeJson } from './freeze-json.ts'
import { describeReason, fetchUncached, reach } from './reach.ts'
import { ValidatorError, type ValidatorErrorCode } from './validator-error.ts'
import type { ValidatorSettings } from './validator-options.ts'

/** The claims of a token: those of RFC 9068, and the session. They are frozen: later calls with the same token share them. */
export interface TokenClaims extends Readonly<JWTPayload> {
  readonly iss: string
  /** The account's id */
  readonly aud: string
  /** The user's id */
  readonly sub: string
  /** Seconds since the epoch, as `exp` is */
  readonly iat: number
  readonly exp: number
  readonly jti: string
  /** The session's id; with `user_token_id` that id again, by which the feed of revocations ends the token */
  readonly sid: string
  /** Authentication methods (RFC 8176) */
  readonly amr: readonly string[]
  /**
   * When the user last showed a credential, in seconds since the epoch (OpenID Connect Core 1.0, section 2); absent in a
   * token that a user's own token was exchanged for
   */
  readonly auth_time?: number
  /** The scopes of the user's own token that was exchanged for this one, with spaces between them */
  readonly scope?: string
  /** The id of the user's own token that was exchanged for this one */
  readonly user_token_id?: string
  /** Who acts as the user (RFC 8693, section 4.1), in the token of an impersonation */
  readonly act?: { readonly sub: string }
}

export interface VerifiedToken {
  claims: TokenClaims
  kid: string
}

const algorithms = ['ES256', 'EdDSA', 'RS256']
const types = ['at+jwt', 'application/at+jwt', 'jwt']
/** The minimum time between two requests for a key set that lacks a key */
const cooldownMs = 5_000
const timeoutMs = 5_000
/** How far clocks may differ */
export const leewaySeconds = 5
/** A part in base64url: the last character has no bits that belong to no byte, so that each part has one text. */
const part = /^(?:[\w-]{4})*(?:[\w-]{4}|[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])$/

/** Verifies signature and claims with the keys of the issuer, and caches verified tokens. */
export class TokenVerifier {
  readonly #settings: ValidatorSettings
  readonly #verified = new Map<string, VerifiedToken>()
  #keys: JWTVerifyGetKey | undefined
  #hasToldOfIssuer = false

  constructor(settings: ValidatorSettings) {
    this.#settings = settings
  }

  /**
   * Reads the keys. Tokens can be verified afterwards.
   *
   * @throws OtherIssuer if Clientele names another issuer; any error of reading
   */
  async readKeys(): Promise<void> {
    const { issuer, keySetUrl } = this.#settings
    const url = keySetUrl ?? (await discoverKeySet(issuer))
    const times = { cooldownDuration: cooldownMs, timeoutDuration: timeoutMs }
    const options = { ...times, [customFetch]: fetchUncached }
    const remote = createRemoteJWKSet(new URL(url), options)
    await remote.reload().catch((cause: unknown) => {
      throw new Error(`The key set at ${url} cannot be read: ${describeReason(cause)}.`, { cause })
    })
    this.#keys = async (header, token) => {
      // Without an id, jose would take the only fitting key of the set, and a revocation of that key would not be
      // found.
      if (!isKeyId(header.kid)) throw new errors.JWKSNoMatchingKey()
      try {
        return await remote(header, token)
      } catch (error) {
        const known = remote.jwks()
        // The first token of an account has its first key: reading a set without keys again waits for nothing.
        if (error instanceof errors.JWKSNoMatchingKey && known?.keys.length === 0) {
          await remote.reload()
          return remote(header, token)
        }
        if (!isTransport(error) || known === undefined) throw error
        // The keys are read again every ten minutes. If that fails, the known keys stay valid.
        this.#settings.onError(error)
        return createLocalJWKSet(known)(header, token).catch(() => {
          // The key set may have the key by now.
          throw error
        })
      }
    }
  }

  /** @throws ValidatorError */
  async verify(token: string): Promise<VerifiedToken> {
    const known = this.#verified.get(token)
    if (known !== undefined) {
      if (known.claims.exp <= Date.now() / 1000) {
        this.#verified.delete(token)
        throw new ValidatorError('token_expired')
      }
      assertIssued(known.claims)
      return known
    }
    // A decoder ignores other characters: one token would have many texts, each remembered.
    if (!isCompact(token)) throw new ValidatorError('token_malformed', {}, describe(token))
    const verified = await this.#verify(token)
    const [oldest] = this.#verified.keys()
    if (oldest !== undefined && this.#verified.size >= this.#settings.maxRemembered)
      this.#verified.delete(oldest)
    this.#verified.set(token, verified)
    return verified
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const { issuer, accountId, tokenTtlSeconds } = this.#settings
    const keys = this.#keys
    if (keys === undefined) throw new ValidatorError('validator_unavailable')
    const { payload, protectedHeader } = await this.#refuseByCode(() =>
      jwtVerify(token, keys, {
        algorithms,
        issuer,
        audience: accountId,
        requiredClaims: ['sub', 'iat', 'exp', 'jti', 'sid', 'amr'],
      }),
    )
    const { aud, sub, iat = 0, exp = 0, jti, sid } = payload
    const { typ, kid } = protectedHeader
    const areTexts = [aud, sub, jti, sid].every((claim) => typeof claim === 'string')
    // Of another type than the declared one, if the signer wrote that.
    const isTyped = typeof typ === 'string' && types.includes(typ.toLowerCase())
    // Revocations older than a token's lifetime are dropped.
    const isShort = exp - iat <= tokenTtlSeconds
    if (!areTexts || !isOfKnownKind(payload) || !isTyped || !isShort)
      throw new ValidatorError('token_claims_invalid')
    assertIssued({ iat })
    if (!isKeyId(kid)) throw new ValidatorError('token_unknown_key')
    return { claims: freezeJson(payload) as TokenClaims, kid } // each claim was checked above
  }

  async #refuseByCode(verify: () => Promise<JWTVerifyResult>): Promise<JWTVerifyResult> {
    try {
      return await verify()
    } catch (error) {
      throw new ValidatorError(codeOf(error), { cause: error }, this.#describeIssuer(error))
    }
  }

  /**
   * The text about a wrong issuer; empty for other errors. The signature was verified before: a key of the account
   * signed the token.
   */
  #describeIssuer(error: unknown): string {
    if (!(error instanceof errors.JWTClaimValidationFailed) || error.claim !== 'iss') return ''
    const { issuer, onError } = this.#settings
    const { iss } = error.payload
    if (typeof iss !== 'string') return ''
    const detail = ` Its issuer is ${iss}, and the validator's is ${issuer}.${describeDifference(iss, issuer)}`
    if (!this.#hasToldOfIssuer) onError(new Error(`A token is refused.${detail}`))
    this.#hasToldOfIssuer = true
    return detail
  }
}

/** Whether it is the token of a sign-in, or one that a user's own token was exchanged for. */
function isOfKnownKind({ amr, auth_time, act, scope, user_token_id }: JWTPayload): boolean {
  const isActor = act === undefined || typeof Object(act).sub === 'string'
  const isScope = scope === undefined || typeof scope === 'string'
  if (!Array.isArray(amr) || !isActor || !isScope) return false
  if (user_token_id === undefined) return typeof auth_time === 'number'
  return typeof user_token_id === 'string' && scope !== undefined
}

/** The text about another kind of credential, or one with its scheme; empty for another text. */
function describe(token: string): string {
  if (/^bearer /i.test(token)) return ' Send the token alone, without Bearer.'
  if (token.startsWith('cu_')) return " It is an API key: send a user's token, a JWT."
  if (!token.startsWith('cut_')) return ''
  return " It is a user's own token, cut_…: only Clientele validates it. Exchange it for a JWT at auth/token/exchange."
}

/** A token of the future was signed while a clock was ahead: it would live too long. */
function assertIssued({ iat }: Pick<TokenClaims, 'iat'>): void {
  if (iat > Date.now() / 1000 + leewaySeconds) throw new ValidatorError('token_not_yet_valid')
}

/** The option `issuer` is none of Clientele's issuers, or spelt otherwise. */
export class OtherIssuer extends TypeError {}

/** Finds the key set by the issuer's metadata (OpenID Connect Discovery 1.0). */
async function discoverKeySet(issuer: string): Promise<string> {
  const url = `${issuer}/.well-known/openid-configuration`
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await reach(url, { signal, redirect: 'manual' })
  if (!response.ok) {
    await response.body?.cancel()
    const location = response.headers.get('location')
    const where = location === null ? '' : `, and leads to ${location}: no redirect is followed`
    throw new Error(`${url} answers with ${response.status}${where}.`)
  }
  const metadata: unknown = await response.json()
  const { issuer: named, jwks_uri: found } = Object(metadata)
  if (typeof named !== 'string' || typeof found !== 'string')
    throw new Error(`${url} is not the metadata of an issuer.`)
  if (named !== issuer)
    throw new OtherIssuer(
      `issuer is ${issuer}, and Clientele's is ${named}.${describeDifference(issuer, named)}`,
    )
  return found
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
  // The set has the id of the key twice, which a set of Clientele never has.
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'token_unknown_key'
  return isTransport(error) ? 'validator_unavailable' : 'token_malformed'
}

/** Whether a token has the compact form of RFC 7515, section 3.1, in the only text of its bytes. */
function isCompact(token: string): boolean {
  const parts = token.split('.', 4)
  return parts.length === 3 && parts.every((text) => part.test(text))
}

/** A token's header may have anything as its `kid`. */
function isKeyId(kid: unknown): kid is string {
  return typeof kid === 'string' && kid !== ''
}

/** Whether the key set could not be read: an error of fetch, a status other than 200, no key set, or a timeout */
function isTransport(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error?.constructor === errors.JOSEError ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid
  )
}
