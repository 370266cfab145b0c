import { z } from 'zod'
import type { TokenErrorCode } from '../errors.ts'
import { rootPath } from '../http/match-route.ts'
import { respondWithJson } from '../http/render.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { readBearer } from '../input/bearer.ts'
import { clientUserSchema } from '../users/client-user.ts'
import { renderUser } from '../users/render-user.ts'
import type { TokenSubject } from '../users/store.ts'
import { parseToken } from './parse-token.ts'
import { claimedSubject, validateParsedToken, validateTokenSchema } from './validate-token.ts'

const tokenErrors: TokenErrorCode[] = [
  'token_malformed',
  'token_signature_invalid',
  'token_expired',
  'token_not_yet_valid',
  'token_claims_invalid',
  'token_unknown_key',
  'token_revoked',
  'token_user_not_found',
  'token_user_inactive',
]

const validationSchema = z
  .object({ isValid: z.literal(true), success_code: z.literal(200), user: clientUserSchema })
  .meta({ id: 'TokenValidation' })

export const tokenRoutes: Route[] = [
  defineRoute({
    id: 'validateToken',
    method: 'POST',
    path: `${rootPath}/auth/validation-token`,
    summary: 'Say whether a token is valid now, and whose it is',
    tag: 'Tokens',
    scope: 'tokens:validate',
    bodySchema: validateTokenSchema,
    responses: { 200: { description: 'The token is valid', schema: validationSchema } },
    errors: tokenErrors,
    problemExtension: (code): Record<string, unknown> =>
      code.startsWith('token_') ? { isValid: false } : {},
    subjectOf: (body) => subjectInBody(body),
    handle: async ({ services, call, subject }, { body }) => {
      const token = parseToken(readBearer(body.token) ?? '')
      const { user } = await validateParsedToken(services, call, token, subject)
      return respondWithJson(200, `{"isValid":true,"success_code":200,"user":${renderUser(user)}}`)
    },
  }),
]

/** The subject that the token in an unchecked body claims; whatever is wrong with it is said later, by its rule. */
function subjectInBody(body: unknown): TokenSubject | undefined {
  const checked = validateTokenSchema.safeParse(body)
  if (!checked.success) return undefined
  try {
    return claimedSubject(parseToken(readBearer(checked.data.token) ?? ''))
  } catch {
    return undefined
  }
}
