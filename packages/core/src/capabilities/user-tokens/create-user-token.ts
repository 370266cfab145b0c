import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import {
  createAccountSecret,
  hashAccountSecret,
  prefixOfSecret,
} from '../../base/crypto/account-secret.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { UserTokensServices } from './services.ts'
import {
  type CreatedUserToken,
  maxUserTokens,
  type newUserTokenSchema,
  toUserToken,
} from './user-token.ts'

/**
 * Makes a token that belongs to a user. Only its hash is stored.
 *
 * @throws ClienteleError `user_not_found`, `user_inactive`, `user_token_limit_reached`
 */
export async function createUserToken(
  services: UserTokensServices,
  call: Call,
  userId: string,
  { name, scopes, expiresIn }: z.output<typeof newUserTokenSchema>,
): Promise<CreatedUserToken> {
  const { repository, events, newId, clock, environment } = services
  const { accountId } = call
  const token = createAccountSecret('cut', environment, accountId)
  const id = newId()
  const createdAt = clock()
  const expiresAt = expiresIn === null ? null : createdAt + expiresIn * 1000
  const record = { id, name, scopes, prefix: prefixOfSecret(token), createdAt, expiresAt }
  const data = { tokenId: id, expiresAt: expiresAt === null ? null : new Date(expiresAt) }
  const event = newEvent(services, call, 'user_token.created', userId, data, { scopes })
  const stored = { ...record, userId, hash: hashAccountSecret(token) }
  const outcome = await repository.userTokens.create(accountId, stored, maxUserTokens, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  events.emit(event)
  return { ...toUserToken({ ...record, lastUsedAt: null }), token }
}
