import { ClienteleError } from '../../base/errors.ts'
import { timeOfId } from '../../base/input/id.ts'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { AccessTokenClaims } from './access-tokens.ts'
import { toGrant, type UserTokenGrant } from './user-token-grant.ts'

/**
 * Checks the user's own token that a JWT was exchanged for, and that no other password since has ended its JWTs: the feed of
 * revocations ends them too, and a service that validates by itself must get the same answer. Another address ends none.
 *
 * @returns what the user's own token permits
 * @throws ClienteleError `token_user_not_found`, `token_revoked`
 */
export function assertExchangeUsable(
  { sub, iat, jti }: AccessTokenClaims,
  { user, userToken }: SubjectState,
  now: number,
): UserTokenGrant {
  if (user.id !== sub) throw new ClienteleError('token_user_not_found')
  const idTime = timeOfId(jti)
  // Ids only grow: after the clock went back, theirs is another time.
  const isExact = idTime !== undefined && Math.floor(idTime / 1000) === iat
  const issuedAt = isExact ? idTime : iat * 1000
  const notBefore = userToken?.jwtsNotBefore ?? 0
  // Of a time when the clock was ahead: what was exchanged before it has expired since.
  const isWrong = notBefore > now + maxSetBackMs
  if (userToken?.revokedAt !== null || (issuedAt < notBefore && !isWrong))
    throw new ClienteleError('token_revoked')
  return toGrant(userToken)
}
