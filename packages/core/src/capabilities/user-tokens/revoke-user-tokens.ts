import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { UserTokensServices } from './services.ts'

/**
 * Revokes one of a user's own tokens, and the JWTs that it was exchanged for, from the next request on.
 *
 * @throws ClienteleError `user_token_not_found`, also for a revoked one
 */
export async function revokeUserToken(
  services: UserTokensServices,
  call: Call,
  userId: string,
  tokenId: string,
): Promise<void> {
  const { repository, events, clock } = services
  const data = { tokenIds: [tokenId], reason: 'requested' as const }
  const event = newEvent(services, call, 'user_token.revoked', userId, data)
  if (!(await repository.userTokens.revoke(call.accountId, userId, tokenId, clock(), event)))
    throw new ClienteleError('user_token_not_found')
  events.emit(event)
}

/**
 * Revokes all of a user's own tokens.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function revokeUserTokens(
  services: UserTokensServices,
  call: Call,
  userId: string,
): Promise<void> {
  const { repository, events, clock } = services
  const event = await repository.userTokens.revokeAll(call.accountId, userId, clock(), (tokenIds) =>
    newEvent(services, call, 'user_token.revoked', userId, { tokenIds, reason: 'requested' }),
  )
  if (event === undefined) await findUser(services, call, userId)
  else events.emit(event)
}
