import { createHash, timingSafeEqual } from 'node:crypto'
import { ClienteleError } from '../../base/errors.ts'
import { isImpersonated } from '../../base/jwt/authentication-claims.ts'
import { type ParsedToken, parseToken, readHeader } from '../../base/jwt/parse-token.ts'
import { leewaySeconds } from '../../base/jwt/refuse-by-code.ts'
import { readSubject } from '../identities/identity.ts'
import type { IdentityCredentials } from '../identities/store.ts'
import {
  emailClaimOf,
  isEmailCounted,
  isEmailVerified,
  readClaim,
  readClaimedAddress,
} from '../trusted-issuers/issuer-claims.ts'
import type { TrustedIssuerRecord } from '../trusted-issuers/store.ts'
import { type IssuerTokenClaims, isUnchanged } from '../trusted-issuers/trusted-issuers.ts'
import type { Credentials } from '../users/store.ts'
import type { SignInServices } from './services.ts'

/** An ID token for this account whose signature and times are verified. */
export interface IdToken {
  issuer: TrustedIssuerRecord
  claims: IssuerTokenClaims
  /** The issuer's id of the user */
  subject: string
  /** The address, if the token can be trusted for it */
  email: string | undefined
  isEmailVerified: boolean
  /** Identifies the token, to detect a second use */
  digest: string
}

/** A user whose identity, or without `identityId` whose address, an ID token names */
export type Holder = Credentials & Partial<Pick<IdentityCredentials, 'identityId'>>

const idTokenTypes = ['jwt', 'application/jwt']

/**
 * Verifies an ID token (OpenID Connect Core 1.0, section 3.1.3.7) of an issuer that the account trusts for signing in.
 *
 * @throws ClienteleError one of the `token_*` codes
 */
export async function verifyIdToken(
  services: SignInServices,
  accountId: string,
  text: string,
): Promise<IdToken> {
  const { trustedIssuers, accessTokens } = services
  const token = parseToken(text)
  const { iss } = token.payload
  const isOthers = typeof iss === 'string' && iss !== accessTokens.issuerOf(accountId)
  const issuer = isOthers ? await trustedIssuers.find(accountId, iss) : undefined
  if (issuer?.signIn !== true) throw new ClienteleError('token_unknown_key')
  const claims = await trustedIssuers.verify(accountId, issuer, token)
  // What is written next is compared with the issuer as it is then, and another process may have changed it.
  const latest = await trustedIssuers.findLatest(accountId, issuer.issuer)
  if (!isUnchanged(issuer, latest)) return verifyIdToken(services, accountId, text)
  const { typ } = readHeader(token)
  // An access token authorises its client to call an API; it does not authenticate a user.
  const isIdToken =
    (typ === undefined || idTokenTypes.includes(String(typ).toLowerCase())) && isForIdentity(claims)
  const claim = issuer.userLookup === 'identity' ? issuer.userClaim : 'sub'
  const subject = readSubject(readClaim(claims, claim))
  if (!isIdToken || !isOfSignIn(claims) || !isForUs(issuer, claims) || subject === undefined)
    throw refused()
  return {
    issuer,
    claims,
    subject,
    email: readEmail(issuer, claims),
    isEmailVerified: isEmailVerified(issuer, claims),
    digest: digestOf(token, claims),
  }
}

/** Whether it stands for a sign-in of the user: not for an impersonation, nor for a program's token of another Clientele. */
function isOfSignIn(claims: IssuerTokenClaims): boolean {
  return !isImpersonated(claims) && claims.user_token_id === undefined
}

/**
 * Checks the account's further requirements: the nonce, and how recently the user signed in at the issuer.
 *
 * @throws ClienteleError `token_claims_invalid`
 */
export function assertFits(
  { issuer, claims }: IdToken,
  nonce: string | undefined,
  now: number,
): void {
  if (!isNonceRight(issuer.nonce, nonce, claims.nonce)) throw refused()
  const { maxAgeSeconds } = issuer
  if (maxAgeSeconds === null) return
  const { auth_time: at } = claims
  const seconds = Math.floor(now / 1000)
  const isRecent =
    typeof at === 'number' &&
    Number.isFinite(at) &&
    at <= seconds + leewaySeconds &&
    seconds - at <= maxAgeSeconds + leewaySeconds
  if (!isRecent) throw refused()
}

/**
 * @throws ClienteleError `token_revoked` when the user's tokens have ended since this one was issued, or when it names by
 *   its address a user who was created later: the address may have been another person's
 */
export function assertIssuedSince(
  { claims }: IdToken,
  { user, tokensNotBefore, identityId }: Holder,
): void {
  // Compared in whole seconds, as tokens have them.
  const since = Math.floor(tokensNotBefore / 1000)
  // Where none of the user's tokens has ended, the user may have been created because of a token of this identity, or while
  // the issuer's clock was a little behind.
  const mayBeOlder = tokensNotBefore === user.createdAt
  const isOfUser = identityId !== undefined || claims.iat >= since - leewaySeconds
  if (claims.iat <= since && !(mayBeOlder && isOfUser)) throw new ClienteleError('token_revoked')
}

/** Until when the token may be used, in milliseconds, with a minute for clock differences. */
export function endOf({ claims }: IdToken): number {
  return (Math.ceil(claims.exp) + leewaySeconds + 60) * 1000
}

/** Marks of other tokens: Cognito's `token_use`, Keycloak's `typ`; a logout token has `events`. */
function isForIdentity({ token_use: use, typ, events }: IssuerTokenClaims): boolean {
  const isOther = (claim: unknown) =>
    claim !== undefined && !(typeof claim === 'string' && claim.toLowerCase() === 'id')
  return !isOther(use) && !isOther(typ) && events === undefined
}

/**
 * Checks the audiences of an ID token: each of them, and the authorised party, must be one that the account accepts.
 */
function isForUs({ audience }: TrustedIssuerRecord, { aud, azp }: IssuerTokenClaims): boolean {
  if (aud === undefined) return false
  if (typeof aud === 'string' || aud.length === 1) return true
  const parties: readonly unknown[] = azp === undefined ? aud : [...aud, azp]
  return parties.every((party) => typeof party === 'string' && audience.includes(party))
}

function isNonceRight(
  rule: TrustedIssuerRecord['nonce'],
  given: string | undefined,
  claimed: unknown,
): boolean {
  if (given === undefined && claimed === undefined) return rule === 'optional'
  if (given === undefined || typeof claimed !== 'string') return false
  if (rule !== 'sha256') return isSame(given, claimed)
  const hash = createHash('sha256').update(given).digest()
  const isHex = isSame(hash.toString('hex'), claimed.toLowerCase())
  return isHex || isSame(hash.toString('base64url'), claimed)
}

/** In constant time */
function isSame(left: string, right: string): boolean {
  const [first, second] = [left, right].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}

function readEmail(issuer: TrustedIssuerRecord, claims: IssuerTokenClaims): string | undefined {
  return isEmailCounted(issuer, claims)
    ? readClaimedAddress(readClaim(claims, emailClaimOf(issuer)))
    : undefined
}

/**
 * A digest of the token's id, or of its signed part: the same content may be signed twice, and an ES256 signature has
 * several encodings.
 */
function digestOf({ text }: ParsedToken, { iss, jti }: IssuerTokenClaims): string {
  const name =
    typeof jti === 'string' && jti !== ''
      ? [iss, 'jti', jti]
      : [iss, 'text', text.slice(0, text.lastIndexOf('.'))]
  return createHash('sha256').update(JSON.stringify(name)).digest('base64url')
}

function refused(): ClienteleError {
  return new ClienteleError('token_claims_invalid')
}
