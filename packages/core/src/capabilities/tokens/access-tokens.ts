import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { TokenSubject } from '../../base/call/token-subject.ts'
import { ClienteleError } from '../../base/errors.ts'
import { freezeJson } from '../../base/input/freeze-json.ts'
import { isId } from '../../base/input/id.ts'
import { type ParsedToken, parseToken, readHeader } from '../../base/jwt/parse-token.ts'
import { leewaySeconds, refuseByCode } from '../../base/jwt/refuse-by-code.ts'
import type { ClaimingToken, SentToken } from '../../base/jwt/sent-token.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { SignatureTurns } from '../../base/runtime/signature-turns.ts'
import type { KeyRing } from '../signing-keys/key-ring.ts'
import { isUserTokenText, readUserToken } from './user-token-text.ts'

/**
 * The claims of one of our tokens whose signature is verified. They are frozen: later requests with the same token share
 * them.
 */
export interface AccessTokenClaims {
  readonly iss: string
  /** The account's id, as `client_id` is */
  readonly aud: string
  /** The user's id */
  readonly sub: string
  readonly client_id: string
  /** Seconds since the epoch, as `exp` is (RFC 7519) */
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
  /** The scopes of the user's own token that was exchanged for this one, with spaces between them (RFC 8693) */
  readonly scope?: string
  /** The id of the user's own token that was exchanged for this one */
  readonly user_token_id?: string
  /** Who acts as the user (RFC 8693, section 4.1), in the token of an impersonation */
  readonly act?: { readonly sub: string }
  /** The claims that your hook `tokenClaims` added */
  readonly [claim: string]: unknown
}

/** The session that a token is for. */
export interface TokenSession {
  accountId: string
  userId: string
  sessionId: string
  amr: string[]
  /** When the user last showed a credential, in milliseconds since the epoch */
  authenticatedAt: number
  /** Who acts as the user. @default the user */
  impersonatedBy?: string
}

/** The user's own token that a JWT is issued for. */
export interface ExchangedToken {
  accountId: string
  userId: string
  userTokenId: string
  scopes: readonly string[]
}

/** How long a JWT lives that a user's own token was exchanged for, in seconds */
const exchangedSeconds = 600

export interface AccessTokenOptions {
  keyRing: KeyRing
  /** The turns of verifying */
  signatures: SignatureTurns
  /** The turns of signing: tokens that are sent in masses do not delay those that are issued */
  signings: SignatureTurns
  clock: () => number
  newId: () => string
  /** `iss` of an account's tokens */
  issuerOf: (accountId: string) => string
  type: TokenType
  ttlSeconds: number
}

export const tokenTypes = ['at+jwt', 'JWT'] as const
/** The `typ` of our tokens: that of RFC 9068, or that of RFC 7519 for verifiers that refuse it. */
export type TokenType = (typeof tokenTypes)[number]

/** A token in the result of a sign-in. */
export interface IssuedToken {
  token: string
  tokenType: 'Bearer'
  /** Seconds */
  expiresIn: number
}
const maxRemembered = 10_000

interface VerifiedToken {
  read: ClaimingToken
  claims: AccessTokenClaims
}

interface UnsignedToken {
  accountId: string
  userId: string
  /** Seconds since the epoch */
  issuedAt: number
  claims: JWTPayload
}

/** Signs and verifies our own tokens: JWTs (RFC 7519) for access (RFC 9068). */
export class AccessTokens {
  readonly #options: AccessTokenOptions
  /**
   * Verified tokens by their text, so that a repeated token needs no second signature check. Only the signature's
   * result is cached: time, key, user and session are checked each time.
   */
  readonly #verified = new LateCache<VerifiedToken>(maxRemembered)

  constructor(options: AccessTokenOptions) {
    this.#options = options
  }

  issuerOf(accountId: string): string {
    return this.#options.issuerOf(accountId)
  }

  /** The maximum lifetime of a token */
  get ttlSeconds(): number {
    return this.#options.ttlSeconds
  }

  /**
   * Signs a token for a session. The token does not outlive the session: `sessionExpiresAt` is in milliseconds since
   * the epoch.
   *
   * @param claims further claims, of the host's
   */
  async issue(
    session: TokenSession,
    sessionExpiresAt: number,
    further?: Readonly<Record<string, unknown>>,
  ): Promise<IssuedToken> {
    const { accountId, userId, sessionId, amr, authenticatedAt, impersonatedBy } = session
    const issuedAt = Math.floor(this.#options.clock() / 1000)
    const at = Math.floor(authenticatedAt / 1000)
    // The clock was set back since: the time of the sign-in is unknown, and `iat` would make it recent at each refresh.
    const auth_time = at > issuedAt + leewaySeconds ? 0 : Math.min(issuedAt, at)
    const act = impersonatedBy !== undefined && { act: { sub: impersonatedBy } }
    const own = { client_id: accountId, sid: sessionId, amr, auth_time }
    const claims = { ...further, ...own, ...act }
    return this.#sign({ accountId, userId, issuedAt, claims }, sessionExpiresAt)
  }

  /**
   * Signs a token for a user's own token, which it does not outlive: `expiresAt` is in milliseconds since the epoch. It
   * shows no sign-in, so that it satisfies no guard that asks for one.
   */
  async issueFor(
    { accountId, userId, userTokenId, scopes }: ExchangedToken,
    expiresAt: number,
  ): Promise<IssuedToken> {
    const issuedAt = Math.floor(this.#options.clock() / 1000)
    const ids = { client_id: accountId, sid: userTokenId, user_token_id: userTokenId }
    const claims = { ...ids, amr: [], scope: scopes.join(' ') }
    const endsAt = Math.min(expiresAt, (issuedAt + exchangedSeconds) * 1000)
    return this.#sign({ accountId, userId, issuedAt, claims }, endsAt)
  }

  async #sign(
    { accountId, userId, issuedAt, claims }: UnsignedToken,
    endsAt: number,
  ): Promise<IssuedToken> {
    const { keyRing, signings, newId, issuerOf, type, ttlSeconds } = this.#options
    const key = await keyRing.findSigner(accountId)
    const left = Math.max(0, Math.floor(endsAt / 1000) - issuedAt)
    const expiresIn = Math.min(ttlSeconds, left)
    const unsigned = new SignJWT(claims)
      .setProtectedHeader({ alg: key.algorithm, typ: type, kid: key.id })
      .setIssuer(issuerOf(accountId))
      .setAudience(accountId)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + expiresIn)
      .setJti(newId())
    const token = await signings.run(accountId, () => unsigned.sign(key.privateKey))
    return { token, tokenType: 'Bearer', expiresIn }
  }

  /** Reads a user's own token, or parses a JWT, or returns the cached parts of one that was verified before. */
  read(text: string): SentToken {
    const known = this.#verified.get(text)?.read
    if (known !== undefined) return known
    if (isUserTokenText(text)) return readUserToken(text)
    try {
      const parsed = parseToken(text)
      return { parsed, subject: readSubject(parsed) }
    } catch (error) {
      if (error instanceof ClienteleError) return { refusal: error }
      throw error
    }
  }

  /**
   * Verifies one of our tokens by a key of the account. The key may have been removed since: the look-up of the token's
   * user checks that, too.
   *
   * @throws ClienteleError one of the `token_*` codes
   */
  async verify(read: ClaimingToken, accountId: string): Promise<AccessTokenClaims> {
    const { text } = read.parsed
    const known = this.#verified.get(text)?.claims
    if (known === undefined) {
      const claims = freezeJson(await this.#verifySignature(read.parsed, accountId))
      this.#verified.set(text, { read, claims })
      return claims
    }
    // Another account has no such key.
    if (known.aud !== accountId) throw new ClienteleError('token_unknown_key')
    if (known.exp <= Math.floor(this.#options.clock() / 1000)) {
      this.#verified.delete(text)
      throw new ClienteleError('token_expired')
    }
    this.#assertIssued(known)
    return known
  }

  /** A token of the future was signed while the clock was ahead: it would live too long. */
  #assertIssued({ iat }: Pick<AccessTokenClaims, 'iat'>): void {
    if (iat > Math.floor(this.#options.clock() / 1000) + leewaySeconds)
      throw new ClienteleError('token_not_yet_valid')
  }

  async #verifySignature(token: ParsedToken, accountId: string): Promise<AccessTokenClaims> {
    const { keyRing, signatures, clock, issuerOf } = this.#options
    const { alg, kid } = readHeader(token)
    const key = kid === undefined ? undefined : await keyRing.findVerifier(accountId, kid)
    if (key === undefined || key.algorithm !== alg) throw new ClienteleError('token_unknown_key')
    const payload = await refuseByCode(async () => {
      const verified = await signatures.run(accountId, () =>
        jwtVerify(token.text, key.verificationKey, {
          algorithms: [key.algorithm],
          issuer: issuerOf(accountId),
          audience: accountId,
          requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti', 'sid'],
          currentDate: new Date(clock()),
        }),
      )
      // Both are accepted: the setting may have changed since.
      const types: readonly unknown[] = tokenTypes
      if (!types.includes(verified.protectedHeader.typ))
        throw new ClienteleError('token_claims_invalid')
      return verified
    })
    const { iss, aud, sub, client_id, iat, exp, jti, sid, amr, auth_time, act } = payload
    const { scope, user_token_id } = payload
    const isExchanged = user_token_id !== undefined
    const textsOfKind = isExchanged ? [scope, user_token_id] : []
    const texts = [iss, aud, sub, client_id, jti, sid, ...textsOfKind]
    const areTexts = texts.every((claim) => typeof claim === 'string')
    // One that was exchanged shows no sign-in.
    const times = isExchanged ? [iat, exp] : [iat, exp, auth_time]
    const areTimes = times.every((claim) => typeof claim === 'number')
    const isActor = act === undefined || typeof Object(act).sub === 'string'
    if (!areTexts || !areTimes || !Array.isArray(amr) || !isActor) {
      throw new ClienteleError('token_claims_invalid')
    }
    const claims = payload as AccessTokenClaims // each was checked above
    this.#assertIssued(claims)
    return claims
  }
}

/** Thumbprints (RFC 7638), like our key ids. */
const thumbprintPattern = /^[\w-]{1,100}$/

/** The user, session and key that an unverified token names; undefined when the token is not one of ours. */
function readSubject(token: ParsedToken): TokenSubject | undefined {
  const { sub, sid, user_token_id: userToken } = token.payload
  if (!isId(sub) || !isId(sid)) return undefined
  const { kid } = readHeader(token)
  const keyId = kid !== undefined && thumbprintPattern.test(kid) ? kid : undefined
  if (userToken !== undefined) return isId(userToken) ? { by: 'id', userToken, keyId } : undefined
  return { userId: sub, sessionId: sid, keyId }
}
