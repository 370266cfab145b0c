import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { bearerPattern } from '../../base/input/bearer.ts'
import { isId } from '../../base/input/id.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import type { ParsedToken } from '../../base/jwt/parse-token.ts'
import { assertRead, type SentToken } from '../../base/jwt/sent-token.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import { readSubject } from '../identities/identity.ts'
import { isEmailCounted, readClaim, readClaimedAddress } from '../trusted-issuers/issuer-claims.ts'
import type { TrustedIssuerRecord } from '../trusted-issuers/store.ts'
import type { IssuerTokenClaims } from '../trusted-issuers/trusted-issuers.ts'
import { readTokensNotBefore } from '../users/read-tokens-not-before.ts'
import type { AccessTokenClaims } from './access-tokens.ts'
import { assertNamedAccount } from './assert-named-account.ts'
import { assertExchangeUsable } from './exchanged-token.ts'
import type { TokensServices } from './services.ts'
import type { UserTokenGrant } from './user-token-grant.ts'
import { assertUserTokenUsable, type UserTokenClaims } from './validate-user-token.ts'

export const validateTokenSchema = z
  .strictObject({
    token: z
      .string()
      .min(6)
      .regex(bearerPattern, 'must have the form: Bearer <JWT or cut_…>')
      .meta({
        ...secretMark,
        pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr] +[^ ]+$',
        examples: [`Bearer ${exampleToken}`],
      }),
  })
  .meta({ id: 'ValidateToken' })

interface ValidatedUser {
  user: ClientUser
  /** The user's account */
  accountId: string
}

/** A valid JWT that we signed. */
export interface ValidatedOwnToken extends ValidatedUser {
  trustedIssuerId: null
  userToken?: undefined
  claims: AccessTokenClaims
}

/** A valid JWT that a user's own token was exchanged for. */
export interface ValidatedExchangedToken extends ValidatedUser {
  trustedIssuerId: null
  userToken: UserTokenGrant
  claims: AccessTokenClaims
}

/** A valid token of an issuer that the account trusts. */
export interface ValidatedIssuerToken extends ValidatedUser {
  /** The id of the trusted issuer in the account */
  trustedIssuerId: string
  userToken?: undefined
  claims: IssuerTokenClaims
}

/** A valid token that belongs to a user: `cut_…`. */
export interface ValidatedUserToken extends ValidatedUser {
  trustedIssuerId: null
  userToken: UserTokenGrant
  claims: UserTokenClaims
}

/** The user and the claims of a token. `userToken` tells those of programs apart, `trustedIssuerId` those of other issuers. */
export type ValidatedToken =
  | ValidatedOwnToken
  | ValidatedExchangedToken
  | ValidatedIssuerToken
  | ValidatedUserToken

/** The same with the stored user. */
export type CheckedToken<Token extends ValidatedUser = ValidatedToken> = Token extends unknown
  ? Omit<Token, 'user'> & { user: StoredUser }
  : never

export function toValidatedToken(checked: CheckedToken): ValidatedToken {
  return { ...checked, user: toClientUser(checked.user) } as ValidatedToken // the same kind of result
}

/**
 * Validates a token and finds its user: signature and claims, then key, user and session in their present state. A user's
 * own token is found by its hash.
 *
 * @param call the account that validates; undefined: the account that the token names, whose key must verify it
 * @param token the JWT, or the user's own token, without `Bearer`
 * @throws ClienteleError one of the `token_*` codes
 */
export async function validateToken(
  services: TokensServices,
  call: Call | undefined,
  token: string,
): Promise<CheckedToken> {
  const read = assertRead(services.accessTokens.read(token))
  if ('accountId' in read) {
    const accountId = call?.accountId ?? read.accountId
    if (call === undefined) await assertNamedAccount(services, accountId)
    const now = services.clock()
    const state = await services.repository.users.findSubject(accountId, now, read.subject)
    return assertUserTokenUsable(services, accountId, state)
  }
  const accountId = call?.accountId ?? readAccountId(read.parsed)
  if (call === undefined) await assertNamedAccount(services, accountId)
  else {
    const issuer = await findIssuer(services, accountId, read.parsed)
    if (issuer !== undefined) return validateIssuerToken(services, issuer, read.parsed)
  }
  const claims = await services.accessTokens.verify(read, accountId)
  const { subject } = read
  const now = services.clock()
  const state = subject && (await services.repository.users.findSubject(accountId, now, subject))
  return assertUsable(claims, state, services.clock())
}

/** The same when the state of the claimed subject was read before. */
export async function validateSentToken(
  services: TokensServices,
  { accountId }: Call,
  token: SentToken,
  state: SubjectState | undefined,
): Promise<CheckedToken> {
  const read = assertRead(token)
  if ('accountId' in read) return assertUserTokenUsable(services, accountId, state)
  const issuer = await findIssuer(services, accountId, read.parsed)
  if (issuer !== undefined) return validateIssuerToken(services, issuer, read.parsed)
  // The signature of a removed key proves nothing.
  if (state?.hasSigningKey === false) throw new ClienteleError('token_unknown_key')
  const claims = await services.accessTokens.verify(read, accountId)
  return assertUsable(claims, state, services.clock())
}

/** The account that an unverified token names. */
function readAccountId({ payload: { aud } }: ParsedToken): string {
  if (!isId(aud)) throw new ClienteleError('token_unknown_key')
  return aud
}

function assertUsable(
  claims: AccessTokenClaims,
  state: SubjectState | undefined,
  now: number,
): CheckedToken<ValidatedOwnToken | ValidatedExchangedToken> {
  if (state?.hasSigningKey === false) throw new ClienteleError('token_unknown_key')
  // Where the user's own token is gone, its user may be there.
  if (state === undefined)
    throw new ClienteleError(
      claims.user_token_id === undefined ? 'token_user_not_found' : 'token_revoked',
    )
  if (!state.user.isActive) throw new ClienteleError('token_user_inactive')
  if (!state.hasLiveSession || state.isAccountDisabled) throw new ClienteleError('token_revoked')
  const own = { user: state.user, accountId: claims.aud, trustedIssuerId: null }
  if (claims.user_token_id === undefined) return { ...own, claims }
  return { ...own, userToken: assertExchangeUsable(claims, state, now), claims }
}

interface AccountIssuer {
  accountId: string
  record: TrustedIssuerRecord
}

/** The issuer that a token names, unless it is us, if the account trusts it. */
async function findIssuer(
  { trustedIssuers, accessTokens }: TokensServices,
  accountId: string,
  { payload: { iss } }: ParsedToken,
): Promise<AccountIssuer | undefined> {
  if (typeof iss !== 'string' || iss === accessTokens.issuerOf(accountId)) return undefined
  const record = await trustedIssuers.find(accountId, iss)
  return record && { accountId, record }
}

async function validateIssuerToken(
  services: TokensServices,
  { accountId, record }: AccountIssuer,
  token: ParsedToken,
): Promise<CheckedToken<ValidatedIssuerToken>> {
  const claims = await services.trustedIssuers.verify(accountId, record, token)
  const state = await findNamedUser(services, accountId, record, claims)
  if (state === undefined) throw new ClienteleError('token_user_not_found')
  if (!state.user.isActive) throw new ClienteleError('token_user_inactive')
  // Compared in whole seconds, as tokens have them.
  const { tokensNotBefore, user } = state
  const notBefore = await readTokensNotBefore(services, accountId, user.id, tokensNotBefore)
  const isOld = claims.iat <= Math.floor(notBefore / 1000)
  if (isOld || state.isAccountDisabled) throw new ClienteleError('token_revoked')
  return { user, accountId, trustedIssuerId: record.id, claims }
}

async function findNamedUser(
  { repository, clock }: TokensServices,
  accountId: string,
  issuer: TrustedIssuerRecord,
  claims: IssuerTokenClaims,
): Promise<SubjectState | undefined> {
  const name = readClaim(claims, issuer.userClaim)
  if (typeof name !== 'string') throw new ClienteleError('token_claims_invalid')
  if (issuer.userLookup === 'identity') {
    const subject = readSubject(name)
    return subject === undefined
      ? undefined
      : repository.users.findSubjectByIdentity(accountId, issuer.issuer, subject)
  }
  if (issuer.userLookup === 'email') {
    // An unverified address can be claimed by any user of the issuer.
    if (!isEmailCounted(issuer, claims)) throw new ClienteleError('token_claims_invalid')
    const email = readClaimedAddress(name)
    return email === undefined ? undefined : repository.users.findSubjectByEmail(accountId, email)
  }
  const userId = name.toLowerCase()
  return isId(userId)
    ? repository.users.findSubject(accountId, clock(), { userId, sessionId: null })
    : undefined
}
