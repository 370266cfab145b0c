import { z } from 'zod'
import { type CallInput, readCall } from '../call.ts'
import { parseArgument } from '../input/input.ts'
import type { Services } from '../services.ts'
import { toValidatedToken, type ValidatedToken, validateToken } from './validate-token.ts'

/**
 * Whether a token is valid now, and whose it is; a part of `clientele.auth`.
 *
 * @example
 * const { user, claims } = await clientele.auth.validateToken(accountId, token)
 * console.log(`${user.name} until ${new Date(claims.exp * 1000)}`)
 */
export interface TokensApi {
  /**
   * Validates a JWT (RFC 7519) for an account: ours, or one of an issuer that the account trusts. Signature and claims
   * are verified, then user and session are read as they are now.
   *
   * @param token the JWT, without `Bearer`
   * @throws ClienteleError `token_malformed`, `token_signature_invalid`, `token_expired`, `token_not_yet_valid`,
   *   `token_claims_invalid`, `token_unknown_key`, `token_revoked`, `token_user_not_found`, `token_user_inactive`
   */
  validateToken(call: CallInput, token: string): Promise<ValidatedToken>
}

export function createTokensApi(services: Services): { auth: TokensApi } {
  return {
    auth: {
      validateToken: async (call, token) =>
        toValidatedToken(
          await validateToken(
            services,
            readCall(services, call),
            parseArgument('token', z.string(), token),
          ),
        ),
    },
  }
}
