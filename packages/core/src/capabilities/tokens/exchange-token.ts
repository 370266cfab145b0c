import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { maxTokenLength } from '../../base/jwt/parse-token.ts'
import { assertRead, type SentToken } from '../../base/jwt/sent-token.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import { exampleUserToken } from '../user-tokens/user-token.ts'
import type { IssuedToken } from './access-tokens.ts'
import type { TokensServices } from './services.ts'
import { assertUserTokenUsable } from './validate-user-token.ts'

export const exchangeTokenSchema = z
  .strictObject({
    // As long as a JWT, which is refused by its code
    token: codePoints(z.string(), 1, maxTokenLength)
      .describe("The user's own token, without `Bearer`")
      .meta({ ...secretMark, examples: [exampleUserToken] }),
  })
  .meta({ id: 'ExchangeToken' })

/**
 * Exchanges a user's own token, whose state was read before, for a JWT of at most ten minutes with its scopes.
 *
 * @throws ClienteleError `token_malformed`, also for a JWT; `token_unknown_key`, `token_expired`, `token_user_inactive`,
 *   `token_revoked`
 */
export async function exchangeToken(
  services: TokensServices,
  { accountId }: Call,
  token: SentToken,
  state: SubjectState | undefined,
): Promise<IssuedToken> {
  if (!('accountId' in assertRead(token))) {
    const detail =
      "Only a user's own token, cut_…, can be exchanged: this is another kind of token."
    throw new ClienteleError('token_malformed', detail)
  }
  const { user, userToken } = assertUserTokenUsable(services, accountId, state)
  const { id: userTokenId, scopes, expiresAt } = userToken
  const exchanged = { accountId, userId: user.id, userTokenId, scopes }
  const endsAt = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
  return services.accessTokens.issueFor(exchanged, endsAt)
}
