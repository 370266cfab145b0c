import { z } from 'zod'
import type { TokenErrorCode } from '../errors.ts'
import { rootPath } from '../http/match-route.ts'
import type { HttpResponse } from '../http/message.ts'
import { renderUser, respondWithJson } from '../http/render.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { opaqueTokenSchema, refreshTokenSchema, secondsSchema } from '../http/wire-schemas.ts'
import { mfaMethods } from '../mfa/challenge-user.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { exampleToken } from '../tokens/example-token.ts'
import { maxTokenLength, parseToken } from '../tokens/parse-token.ts'
import {
  claimedSubject,
  readBearer,
  validateParsedToken,
  validateTokenSchema,
} from '../tokens/validate-token.ts'
import { clientUserSchema } from '../users/client-user.ts'
import type { TokenSubject } from '../users/store.ts'
import { logIn, logInSchema } from './log-in.ts'

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

const mfaRequiredSchema = z
  .object({
    success_code: z.literal(202),
    data: z.object({
      two_factor_required: z.literal(true),
      challenge: opaqueTokenSchema,
      methods: z.array(z.enum(mfaMethods)),
      expires_in: secondsSchema(300),
    }),
  })
  .meta({ id: 'TwoFactorRequired' })

export const signedInSchema = z
  .object({
    success_code: z.literal(200),
    data: z.object({
      token: z
        .string()
        .max(maxTokenLength)
        .meta({
          description: 'A JWT (RFC 7519) of the type at+jwt (RFC 9068)',
          examples: [exampleToken],
        }),
      token_type: z.literal('Bearer'),
      expires_in: secondsSchema(7200),
      refresh_token: refreshTokenSchema,
      refresh_expires_in: secondsSchema(2_592_000),
    }),
    user: clientUserSchema,
  })
  .meta({ id: 'SignedIn' })

export const authRoutes: Route[] = [
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
  defineRoute({
    id: 'logIn',
    method: 'POST',
    path: `${rootPath}/auth/login`,
    summary: 'Sign a user in with e-mail and password',
    tag: 'Signing in',
    scope: 'tokens:issue',
    bodySchema: logInSchema,
    responses: {
      200: { description: 'The user is signed in', schema: signedInSchema },
      202: { description: 'A second factor is asked for', schema: mfaRequiredSchema },
    },
    errors: ['credentials_invalid', 'rate_limited', 'overloaded'],
    handle: async ({ services, call }, { body }) => {
      const result = await logIn(services, call, body)
      if ('token' in result) return respondWithSession(result)
      return respondWithJson(202, JSON.stringify({ success_code: 202, data: result }))
    },
  }),
]

export function respondWithSession({ user, ...data }: SignedIn): HttpResponse {
  return respondWithJson(
    200,
    `{"success_code":200,"data":${JSON.stringify(data)},"user":${renderUser(user)}}`,
  )
}

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
