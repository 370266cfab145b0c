import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { UserTokensServices } from './services.ts'
import { type renameUserTokenSchema, toUserToken, type UserToken } from './user-token.ts'

/** @throws ClienteleError `user_token_not_found` */
export async function renameUserToken(
  services: UserTokensServices,
  call: Call,
  userId: string,
  tokenId: string,
  { name }: z.output<typeof renameUserTokenSchema>,
): Promise<UserToken> {
  const { repository, events } = services
  const event = newEvent(services, call, 'user_token.updated', userId, { tokenId })
  const renamed = await repository.userTokens.rename(call.accountId, userId, tokenId, name, event)
  if (renamed === undefined) throw new ClienteleError('user_token_not_found')
  events.emit(event)
  return toUserToken(renamed)
}
