import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { createUserToken } from './create-user-token.ts'
import { listUserTokens } from './list-user-tokens.ts'
import { renameUserToken } from './rename-user-token.ts'
import { revokeUserToken, revokeUserTokens } from './revoke-user-tokens.ts'
import type { UserTokensServices } from './services.ts'
import {
  type CreatedUserToken,
  type NewUserToken,
  newUserTokenSchema,
  renameUserTokenSchema,
  type UserToken,
} from './user-token.ts'

/**
 * Tokens that belong to users, for programs that act for them: `cut_live_…`. `auth.validateToken` and the guards take them,
 * `auth.exchangeToken` gives a JWT for one. They live through a changed password, and end with a deactivation, a deletion
 * and the first proof of the user's address.
 *
 * @example
 * const { token } = await clientele.userTokens.create(accountId, userId, { name: 'Deploy script', scopes: ['deploy'] })
 * const { user, userToken } = await clientele.auth.validateToken(accountId, token)
 * for (const { id } of await clientele.userTokens.list(accountId, userId))
 *   await clientele.userTokens.revoke(accountId, userId, id)
 */
export interface UserTokensApi {
  /**
   * Makes a token for a user. Only this result contains its text. `scopes` are the application's own words; without
   * `expiresIn`, in seconds, it does not expire. A user has at most fifty that are neither expired nor revoked.
   *
   * @throws ClienteleError `user_not_found`, `user_inactive`, `user_token_limit_reached`, `validation_failed`
   */
  create(call: CallInput, userId: string, input: NewUserToken): Promise<CreatedUserToken>
  /**
   * Lists a user's tokens, oldest first: those that have expired for 30 days, and none that are revoked.
   *
   * @throws ClienteleError `user_not_found`
   */
  list(call: CallInput, userId: string): Promise<UserToken[]>
  /**
   * Gives a token another name.
   *
   * @throws ClienteleError `user_token_not_found`, also for a revoked one; `validation_failed`
   */
  rename(
    call: CallInput,
    userId: string,
    tokenId: string,
    input: { name: string },
  ): Promise<UserToken>
  /**
   * Revokes a token, and the JWTs that it was exchanged for, from the next request on.
   *
   * @throws ClienteleError `user_token_not_found`, also for a revoked one
   */
  revoke(call: CallInput, userId: string, tokenId: string): Promise<void>
  /**
   * Revokes every token of a user. Sessions go on.
   *
   * @throws ClienteleError `user_not_found`
   */
  revokeAll(call: CallInput, userId: string): Promise<void>
}

export function createUserTokensApi(services: UserTokensServices): { userTokens: UserTokensApi } {
  return {
    userTokens: {
      create: async (call, userId, input) =>
        createUserToken(
          services,
          readCall(services, call),
          readId({ userId }),
          parseInput(newUserTokenSchema, input),
        ),
      list: async (call, userId) =>
        listUserTokens(services, readCall(services, call), readId({ userId })),
      rename: async (call, userId, tokenId, input) =>
        renameUserToken(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ tokenId }),
          parseInput(renameUserTokenSchema, input),
        ),
      revoke: async (call, userId, tokenId) =>
        revokeUserToken(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ tokenId }),
        ),
      revokeAll: async (call, userId) =>
        revokeUserTokens(services, readCall(services, call), readId({ userId })),
    },
  }
}
