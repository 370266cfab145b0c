import { ClienteleError } from '../../base/errors.ts'
import { timeOfId } from '../../base/input/id.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { AccessTokenClaims } from './access-tokens.ts'

/**
 * Checks the user's own token that a JWT was exchanged for, and that no other password since has ended its JWTs: the feed of
 * revocations ends them too, and a service that validates by itself must get the same answer. Another address ends none.
 *
 * @throws ClienteleError `token_user_not_found`, `token_revoked`
 */
export function assertExchangeUsable(
  { sub, iat, jti }: AccessTokenClaims,
  { user, userToken }: SubjectState,
): void {
  if (user.id !== sub) throw new ClienteleError('token_user_not_found')
  const issuedAt = timeOfId(jti) ?? iat * 1000
  const isRevoked = userToken?.revokedAt !== null || issuedAt < (userToken.jwtsNotBefore ?? 0)
  if (isRevoked) throw new ClienteleError('token_revoked')
}
