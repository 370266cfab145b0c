import type { JWTPayload } from 'jose'
import { ClienteleError } from '../../base/errors.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { SubjectState, UserTokenState } from '../../user-model/subject-state.ts'
import { noteUserTokenUse } from '../user-tokens/note-user-token-use.ts'
import { isUserTokenOver } from '../user-tokens/user-token.ts'
import type { TokensServices } from './services.ts'
import { toGrant, type UserTokenGrant } from './user-token-grant.ts'

/** The claims that a JWT in place of a user's own token would have. It shows no sign-in: no `amr`, no `auth_time`. */
export interface UserTokenClaims extends JWTPayload {
  iss: string
  /** The account's id, as `client_id` is */
  aud: string
  /** The user's id */
  sub: string
  client_id: string
  /** Seconds since the epoch, as `exp` is: when the token was made */
  iat: number
  /** Absent: it does not expire */
  exp?: number
  /** The token's id */
  jti: string
  /** Its scopes, with spaces between them (RFC 8693, section 4.2) */
  scope: string
}

interface CheckedUserToken {
  user: StoredUser
  accountId: string
  trustedIssuerId: null
  userToken: UserTokenGrant
  claims: UserTokenClaims
}

/**
 * Checks a user's own token whose state was read by its hash, in the account that validates it. The use is recorded, at
 * most once a minute, after the answer.
 *
 * @throws ClienteleError `token_unknown_key`, `token_expired`, `token_user_inactive`, `token_revoked`
 */
export function assertUserTokenUsable(
  services: TokensServices,
  accountId: string,
  state: SubjectState | undefined,
): CheckedUserToken {
  const token = state?.userToken
  if (state === undefined || token === undefined) throw new ClienteleError('token_unknown_key')
  const { user } = state
  if (isUserTokenOver(token, services.clock())) throw new ClienteleError('token_expired')
  if (!user.isActive) throw new ClienteleError('token_user_inactive')
  if (token.revokedAt !== null || state.isAccountDisabled) throw new ClienteleError('token_revoked')
  noteUserTokenUse(services, accountId, token)
  return {
    user,
    accountId,
    trustedIssuerId: null,
    userToken: toGrant(token),
    claims: claimsOf(services.accessTokens.issuerOf(accountId), accountId, user.id, token),
  }
}

function claimsOf(
  iss: string,
  accountId: string,
  userId: string,
  { id, scopes, createdAt, expiresAt }: UserTokenState,
): UserTokenClaims {
  return {
    ...{ iss, aud: accountId, sub: userId, client_id: accountId },
    iat: Math.floor(createdAt / 1000),
    ...(expiresAt !== null && { exp: Math.floor(expiresAt / 1000) }),
    jti: id,
    scope: scopes.join(' '),
  }
}
