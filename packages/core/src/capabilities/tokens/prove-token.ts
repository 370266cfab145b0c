import type { TokenSubject } from '../../base/call/token-subject.ts'
import { ClienteleError } from '../../base/errors.ts'
import { isId } from '../../base/input/id.ts'
import type { ParsedToken } from '../../base/jwt/parse-token.ts'
import type { ClaimingToken, SentUserToken } from '../../base/jwt/sent-token.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import { readSubject } from '../identities/identity.ts'
import { isEmailCounted, readClaim, readClaimedAddress } from '../trusted-issuers/issuer-claims.ts'
import type { TrustedIssuerRecord } from '../trusted-issuers/store.ts'
import { type IssuerTokenClaims, isUnchanged } from '../trusted-issuers/trusted-issuers.ts'
import { readTokensNotBefore } from '../users/read-tokens-not-before.ts'
import type { AccessTokenClaims } from './access-tokens.ts'
import { assertExchangeUsable } from './exchanged-token.ts'
import type { TokensServices } from './services.ts'
import { assertUserTokenUsable } from './validate-user-token.ts'
import type {
  CheckedToken,
  ValidatedExchangedToken,
  ValidatedIssuerToken,
  ValidatedOwnToken,
} from './validated-token.ts'

/**
 * A token whose signature and claims are right. That may have taken long: keys are read, and signatures wait for their turn.
 * So what the token names is read afterwards.
 */
export interface ProvedToken {
  /** Whose state `finish` takes; undefined: it looks the user up by itself */
  subject: TokenSubject | undefined
  /** @throws ClienteleError one of the `token_*` codes */
  finish(state: SubjectState | undefined): CheckedToken | Promise<CheckedToken>
}

interface ProveOptions {
  /** Whether the token may be of an issuer that the account trusts. @default true */
  trustsIssuers?: boolean
  /** What was read of the token's subject before */
  known?: SubjectState | undefined
}

/** @throws ClienteleError one of the `token_*` codes */
export async function proveToken(
  services: TokensServices,
  accountId: string,
  read: ClaimingToken | SentUserToken,
  { trustsIssuers = true, known }: ProveOptions = {},
): Promise<ProvedToken> {
  const { subject } = read
  // Whether there is such a token, its look-up says.
  if ('accountId' in read)
    return { subject, finish: (state) => assertUserTokenUsable(services, accountId, state) }
  const issuer = trustsIssuers ? await findIssuer(services, accountId, read.parsed) : undefined
  if (issuer !== undefined) {
    const claims = await services.trustedIssuers.verify(accountId, issuer, read.parsed)
    const finish = async (): Promise<CheckedToken> => {
      const present = await findIssuer(services, accountId, read.parsed)
      if (isUnchanged(issuer, present)) return assertIssuerUser(services, accountId, issuer, claims)
      return (await proveToken(services, accountId, read)).finish(undefined)
    }
    return { subject: undefined, finish }
  }
  // The signature of a removed key proves nothing.
  if (known?.hasSigningKey === false) throw new ClienteleError('token_unknown_key')
  const claims = await services.accessTokens.verify(read, accountId)
  return { subject, finish: (state) => assertUsable(claims, state, services.clock()) }
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

/** The issuer that a token names, unless it is us, if the account trusts it. */
async function findIssuer(
  { trustedIssuers, accessTokens }: TokensServices,
  accountId: string,
  { payload: { iss } }: ParsedToken,
): Promise<TrustedIssuerRecord | undefined> {
  if (typeof iss !== 'string' || iss === accessTokens.issuerOf(accountId)) return undefined
  return trustedIssuers.find(accountId, iss)
}

async function assertIssuerUser(
  services: TokensServices,
  accountId: string,
  issuer: TrustedIssuerRecord,
  claims: IssuerTokenClaims,
): Promise<CheckedToken<ValidatedIssuerToken>> {
  const state = await findNamedUser(services, accountId, issuer, claims)
  if (state === undefined) throw new ClienteleError('token_user_not_found')
  if (!state.user.isActive) throw new ClienteleError('token_user_inactive')
  // Compared in whole seconds, as tokens have them.
  const { tokensNotBefore, user } = state
  const notBefore = await readTokensNotBefore(services, accountId, user.id, tokensNotBefore)
  const isOld = claims.iat <= Math.floor(notBefore / 1000)
  if (isOld || state.isAccountDisabled) throw new ClienteleError('token_revoked')
  return { user, accountId, trustedIssuerId: issuer.id, claims }
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
