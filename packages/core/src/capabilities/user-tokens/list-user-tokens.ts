import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import type { UserTokensServices } from './services.ts'
import { toUserToken, type UserToken } from './user-token.ts'

/**
 * Lists a user's own tokens, oldest first, also those that have expired.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listUserTokens(
  services: UserTokensServices,
  call: Call,
  userId: string,
): Promise<UserToken[]> {
  const tokens = await services.repository.userTokens.list(call.accountId, userId)
  if (tokens.length === 0) await findUser(services, call, userId)
  return tokens.map(toUserToken)
}
