import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { isImpersonated } from '../../base/jwt/authentication-claims.ts'
import { readSubject } from '../identities/identity.ts'
import {
  findTokenIssuer,
  type ValidatedIssuerToken,
  validateToken,
} from '../tokens/validate-token.ts'
import { readClaim } from '../trusted-issuers/issuer-claims.ts'
import type { TrustedIssuerRecord } from '../trusted-issuers/store.ts'
import type { PasskeysServices } from './services.ts'
import type { Ceremony, TokenTrust } from './store.ts'

/** What an enrolment ends with: the session of the token that began it, or the trust in the token's issuer */
export type TokenOrigin = Pick<Ceremony, 'sessionId' | 'trust'>

export const noOrigin: TokenOrigin = { sessionId: null, trust: null }

/**
 * Validates the token that begins an enrolment. A token that a program has (`cut_…`, or a JWT for one) shows no sign-in,
 * so it enrols nothing.
 *
 * @throws ClienteleError `token_claims_invalid` for another user's token, or a program's; the other `token_*` codes;
 *   `impersonation_refused`
 */
export async function readTokenOrigin(
  services: PasskeysServices,
  call: Call,
  userId: string,
  token: string,
): Promise<TokenOrigin> {
  const text = token.replace(/^bearer +/i, '')
  // Before the token is validated: a change of the issuer that comes meanwhile ends the enrolment.
  const issuer = await findTokenIssuer(services, call, text)
  const checked = await validateToken(services, call, text)
  if (checked.user.id !== userId) throw new ClienteleError('token_claims_invalid')
  if (isImpersonated(checked.claims)) throw new ClienteleError('impersonation_refused')
  if (checked.userToken !== undefined || checked.claims.user_token_id !== undefined)
    throw new ClienteleError('token_claims_invalid', 'Send the token of a sign-in of the user.')
  if (checked.trustedIssuerId === null) return { sessionId: checked.claims.sid, trust: null }
  if (issuer?.id !== checked.trustedIssuerId) throw new ClienteleError('token_unknown_key')
  const trust = await readTrust(services, call, userId, issuer, checked.claims)
  return { sessionId: null, trust }
}

/** @throws ClienteleError `token_user_not_found` when the identity was unlinked meanwhile */
async function readTrust(
  { repository }: PasskeysServices,
  { accountId }: Call,
  userId: string,
  { id: issuerId, updatedAt: issuerUpdatedAt, issuer, userLookup, userClaim }: TrustedIssuerRecord,
  claims: ValidatedIssuerToken['claims'],
): Promise<TokenTrust> {
  if (userLookup !== 'identity') return { issuerId, issuerUpdatedAt, identityId: null }
  const subject = readSubject(readClaim(claims, userClaim))
  const identities = await repository.identities.list(accountId, userId)
  const named = identities.find((one) => one.issuer === issuer && one.subject === subject)
  if (named === undefined) throw new ClienteleError('token_user_not_found')
  return { issuerId, issuerUpdatedAt, identityId: named.id }
}
