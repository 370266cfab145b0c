import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { ClienteleError, type TokenErrorCode } from '../errors.ts'
import type { KeyRing } from '../signing-keys/key-ring.ts'
import { type ParsedToken, readHeader } from './parse-token.ts'

/** What one of our tokens says, once its signature has been verified. */
export interface AccessTokenClaims {
  iss: string
  /** The account's id */
  aud: string
  /** The user's id */
  sub: string
  /** Seconds since the epoch, as `exp` is (RFC 7519) */
  iat: number
  exp: number
  jti: string
  /** The session's id */
  sid: string
  /** Authentication methods (RFC 8176) */
  amr: string[]
}

export interface AccessTokenOptions {
  keyRing: KeyRing
  clock: () => number
  newId: () => string
  issuer: string
  ttlSeconds: number
}

/** A token as signing in answers with it. */
export interface IssuedToken {
  token: string
  tokenType: 'Bearer'
  /** Seconds */
  expiresIn: number
}

/** How far the clocks of signer and verifier may differ, in seconds. It lengthens no token of ours. */
export const leewaySeconds = 5
const maxRemembered = 10_000

interface Remembered {
  claims: AccessTokenClaims
  generation: number
}

/** Signs and verifies our own tokens: JWTs (RFC 7519) of the type `at+jwt` (RFC 9068). */
export class AccessTokens {
  readonly #options: AccessTokenOptions
  /**
   * Verified tokens by their whole text, so that a repeated one costs no second signature check. Only what a signature
   * proves is remembered: time, user and session are asked about each time.
   */
  readonly #verified = new LRUCache<string, Remembered>({ max: maxRemembered })

  constructor(options: AccessTokenOptions) {
    this.#options = options
  }

  get issuer(): string {
    return this.#options.issuer
  }

  /** How long a token lives at most */
  get ttlSeconds(): number {
    return this.#options.ttlSeconds
  }

  /** Signs a token for a session, which it does not outlive: `sessionExpiresAt` is in milliseconds since the epoch. */
  async issue(
    subject: { accountId: string; userId: string; sessionId: string; amr: string[] },
    sessionExpiresAt: number,
  ): Promise<IssuedToken> {
    const { keyRing, clock, newId, issuer, ttlSeconds } = this.#options
    const key = await keyRing.active()
    const issuedAt = Math.floor(clock() / 1000)
    const left = Math.max(0, Math.floor(sessionExpiresAt / 1000) - issuedAt)
    const expiresIn = Math.min(ttlSeconds, left)
    const token = await new SignJWT({ sid: subject.sessionId, amr: subject.amr })
      .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.id })
      .setIssuer(issuer)
      .setAudience(subject.accountId)
      .setSubject(subject.userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + expiresIn)
      .setJti(newId())
      .sign(key.privateKey)
    return { token, tokenType: 'Bearer', expiresIn }
  }

  /**
   * Verifies one of our tokens for an account.
   *
   * @throws ClienteleError one of the `token_*` codes
   */
  async verify(token: ParsedToken, accountId: string | undefined): Promise<AccessTokenClaims> {
    const { keyRing, clock } = this.#options
    await keyRing.refresh()
    const known = this.#verified.get(token.text)
    const now = Math.floor(clock() / 1000)
    let claims: AccessTokenClaims
    if (known !== undefined && known.generation === keyRing.generation) {
      claims = known.claims
      if (claims.exp <= now) {
        this.#verified.delete(token.text)
        throw new ClienteleError('token_expired')
      }
    } else {
      const { generation } = keyRing
      claims = await this.#verifySignature(token)
      this.#verified.set(token.text, { claims, generation })
    }
    // The account is compared here and not by jose: whose token it is must not show.
    if (accountId !== undefined && claims.aud !== accountId)
      throw new ClienteleError('token_user_not_found')
    return claims
  }

  async #verifySignature(token: ParsedToken): Promise<AccessTokenClaims> {
    const { keyRing, clock, issuer } = this.#options
    const { alg, kid } = readHeader(token)
    const key = kid === undefined ? undefined : await keyRing.find(kid)
    if (key === undefined || key.algorithm !== alg) throw new ClienteleError('token_unknown_key')
    const payload = await refuseByCode(() =>
      jwtVerify(token.text, key.verificationKey, {
        algorithms: [key.algorithm],
        issuer,
        typ: 'at+jwt',
        requiredClaims: ['aud', 'sub', 'iat', 'exp', 'jti', 'sid'],
        currentDate: new Date(clock()),
      }),
    )
    const { iss, aud, sub, iat, exp, jti, sid, amr } = payload
    const areTexts = [iss, aud, sub, jti, sid].every((claim) => typeof claim === 'string')
    if (!areTexts || typeof iat !== 'number' || typeof exp !== 'number' || !Array.isArray(amr)) {
      throw new ClienteleError('token_claims_invalid')
    }
    if (iat > Math.floor(clock() / 1000) + leewaySeconds)
      throw new ClienteleError('token_not_yet_valid')
    return { iss, aud, sub, iat, exp, jti, sid, amr } as AccessTokenClaims // each was looked at above
  }
}

/** Runs jose and answers with our codes: whatever a token throws is an invalid token, never a fault of ours. */
export async function refuseByCode(
  verify: () => Promise<{ payload: JWTPayload }>,
): Promise<JWTPayload> {
  try {
    const { payload } = await verify()
    return payload
  } catch (error) {
    if (error instanceof ClienteleError) throw error
    throw new ClienteleError(codeFor(error), undefined, { cause: error })
  }
}

function codeFor(error: unknown): TokenErrorCode {
  if (error instanceof errors.JWTExpired) return 'token_expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isEarly = error.claim === 'nbf' && error.reason === 'check_failed'
    return isEarly ? 'token_not_yet_valid' : 'token_claims_invalid'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token_signature_invalid'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'token_unknown_key'
  return 'token_malformed'
}
