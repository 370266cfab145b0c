import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import { type ImpersonateInput, impersonateSchema, impersonateUser } from './impersonate-user.ts'
import type { ImpersonationServices } from './services.ts'

/**
 * Acting as a user, for support; a part of `clientele.auth`.
 *
 * @example
 * const { token } = await clientele.auth.impersonate(accountId, userId, {
 *   actor: 'support@example.com',
 *   reason: 'Ticket 4711: the invoice does not open',
 * })
 * const { claims } = await clientele.auth.validateToken(accountId, token)
 * console.log('act' in claims && claims.act) // { sub: 'support@example.com' }
 */
export interface ImpersonationApi {
  /**
   * Opens a session for a person who acts as a user, and returns its token. The claim `act` (RFC 8693) names the person;
   * `amr` is empty, so the token passes no guard with `maxAge` or `amr`, and a guard with `impersonation: 'refuse'` refuses
   * it. There is no refresh token. The event `user.impersonated` has actor and reason; `sessions.list` names the actor,
   * and `sessions.revoke` ends it, as everything that ends the user's sessions.
   *
   * @throws ClienteleError `user_not_found`; `user_inactive` for a deactivated user; `account_disabled`;
   *   `impersonation_limit_reached` while twenty impersonations of the user live; `validation_failed`
   */
  impersonate(call: CallInput, userId: string, input: ImpersonateInput): Promise<IssuedToken>
}

export function createImpersonationApi(services: ImpersonationServices): {
  auth: ImpersonationApi
} {
  return {
    auth: {
      impersonate: async (call, userId, input) =>
        impersonateUser(
          services,
          readCall(services, call),
          readId({ userId }),
          parseInput(impersonateSchema, input),
        ),
    },
  }
}
