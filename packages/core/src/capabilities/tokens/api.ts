import { type CallInput, readCall } from '../../base/call/call.ts'
import type { TokenErrorCode } from '../../base/errors.ts'
import { readText } from '../../base/input/call-arguments.ts'
import { parseArgument } from '../../base/input/input.ts'
import type { TokensServices } from './services.ts'
import { toValidatedToken, type ValidatedToken, validateToken } from './validate-token.ts'
import { tokenListSchema, validateTokens } from './validate-tokens.ts'

/** The result of one of several tokens; `isValid` tells the two kinds apart. */
export type TokenResult =
  | (ValidatedToken & { isValid: true })
  | { isValid: false; code: TokenErrorCode }

/**
 * Validating tokens and finding their users; a part of `clientele.auth`.
 *
 * @example
 * const { user, claims } = await clientele.auth.validateToken(accountId, token)
 * console.log(`${user.name} until ${new Date(claims.exp * 1000)}`)
 */
export interface TokensApi {
  /**
   * Validates a JWT (RFC 7519) for an account: ours, or one of an issuer that the account trusts. It verifies signature
   * and claims, then reads the present state of user and session.
   *
   * @param token the JWT, without `Bearer`
   * @throws ClienteleError `token_malformed`, `token_signature_invalid`, `token_expired`, `token_not_yet_valid`,
   *   `token_claims_invalid`, `token_unknown_key`, `token_revoked`, `token_user_not_found`, `token_user_inactive`
   */
  validateToken(call: CallInput, token: string): Promise<ValidatedToken>
  /**
   * Validates up to 100 JWTs for an account and returns the results in their order. An invalid token does not affect
   * the others. The users of our own tokens are read in one round trip.
   *
   * @param tokens 1 to 100 JWTs, without `Bearer`
   * @throws ClienteleError `validation_failed`
   *
   * @example
   * const results = await clientele.auth.validateTokens(accountId, [token])
   * const users = results.flatMap((result) => (result.isValid ? [result.user] : []))
   */
  validateTokens(call: CallInput, tokens: readonly string[]): Promise<TokenResult[]>
}

export function createTokensApi(services: TokensServices): { auth: TokensApi } {
  return {
    auth: {
      validateToken: async (call, token) =>
        toValidatedToken(
          await validateToken(services, readCall(services, call), readText({ token })),
        ),
      validateTokens: async (call, tokens) => {
        const listed = parseArgument('tokens', tokenListSchema, tokens)
        const outcomes = await validateTokens(services, readCall(services, call), listed)
        return outcomes.map((outcome) =>
          'code' in outcome
            ? { isValid: false, code: outcome.code }
            : { isValid: true, ...toValidatedToken(outcome.value) },
        )
      },
    },
  }
}
