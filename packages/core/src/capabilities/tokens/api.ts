import { type CallInput, readCall } from '../../base/call/call.ts'
import type { TokenErrorCode } from '../../base/errors.ts'
import { readText } from '../../base/input/call-arguments.ts'
import { parseArgument } from '../../base/input/input.ts'
import { claimedSubject } from '../../base/jwt/sent-token.ts'
import type { IssuedToken } from './access-tokens.ts'
import { exchangeToken } from './exchange-token.ts'
import type { TokensServices } from './services.ts'
import { validateToken } from './validate-token.ts'
import { tokenListSchema, validateTokens } from './validate-tokens.ts'
import { toValidatedToken, type ValidatedToken } from './validated-token.ts'

/** The result of one of several tokens; `isValid` tells the two kinds apart. */
export type TokenResult =
  | (ValidatedToken & { isValid: true })
  | { isValid: false; code: TokenErrorCode }

/**
 * Validating tokens and finding their users; a part of `clientele.auth`.
 *
 * @example
 * const { user, claims } = await clientele.auth.validateToken(accountId, token)
 * console.log(`${user.name}, by a token of ${claims.iss}`)
 */
export interface TokensApi {
  /**
   * Validates a JWT (RFC 7519) for an account: ours, or one of an issuer that the account trusts. It verifies signature
   * and claims, then reads the present state of user and session. It takes users' own tokens, too: the result then has
   * `userToken`, and its claims have no `exp` if the token does not expire.
   *
   * @param token the JWT, or the user's own token, without `Bearer`
   * @throws ClienteleError `token_malformed`, `token_signature_invalid`, `token_expired`, `token_not_yet_valid`,
   *   `token_claims_invalid`, `token_unknown_key`, `token_revoked`, `token_user_not_found`, `token_user_inactive`
   */
  validateToken(call: CallInput, token: string): Promise<ValidatedToken>
  /**
   * Validates up to 100 tokens for an account and returns the results in their order. An invalid token does not affect
   * the others. The users of our own tokens are read in one round trip.
   *
   * @param tokens 1 to 100 JWTs or users' own tokens, without `Bearer`
   * @throws ClienteleError `validation_failed`
   *
   * @example
   * const results = await clientele.auth.validateTokens(accountId, [token])
   * const users = results.flatMap((result) => (result.isValid ? [result.user] : []))
   */
  validateTokens(call: CallInput, tokens: readonly string[]): Promise<TokenResult[]>
  /**
   * Exchanges a user's own token for a JWT of at most ten minutes, for services that validate by themselves. It has the
   * token's scopes in `scope`, and ends with the token.
   *
   * @param token the user's own token, without `Bearer`
   * @throws ClienteleError `token_malformed`, also for a JWT; `token_unknown_key`, `token_expired`, `token_user_inactive`,
   *   `token_revoked`
   *
   * @example const { token: jwt, expiresIn } = await clientele.auth.exchangeToken(accountId, token)
   */
  exchangeToken(call: CallInput, token: string): Promise<IssuedToken>
}

export function createTokensApi(services: TokensServices): { auth: TokensApi } {
  return {
    auth: {
      validateToken: async (call, token) =>
        toValidatedToken(
          await validateToken(services, readCall(services, call), readText({ token })),
        ),
      exchangeToken: async (call, token) => {
        const read = readCall(services, call)
        const sent = services.accessTokens.read(readText({ token }))
        const subject = claimedSubject(sent)
        const { repository, clock } = services
        const state =
          subject && (await repository.users.findSubject(read.accountId, clock(), subject))
        return exchangeToken(services, read, sent, state)
      },
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
