import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { IssuerTokenClaims } from '../trusted-issuers/trusted-issuers.ts'
import type { AccessTokenClaims } from './access-tokens.ts'
import type { UserTokenGrant } from './user-token-grant.ts'
import type { UserTokenClaims } from './validate-user-token.ts'

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
