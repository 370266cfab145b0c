import { z } from 'zod'
import { tokenErrorCodes } from '../../base/errors.ts'
import { readBearer } from '../../base/input/bearer.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { readActor } from '../../base/jwt/authentication-claims.ts'
import type { OrTokenError } from '../../base/jwt/catch-token-error.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import { claimedSubject } from '../../base/jwt/sent-token.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithJsonParts } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { secondsSchema } from '../../http/wire-schemas.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { memoryOfUsers, renderUser } from '../../user-model/render-user.ts'
import { userTokenSchema } from '../user-tokens/routes.ts'
import { exchangeToken, exchangeTokenSchema } from './exchange-token.ts'
import {
  actSchema,
  introspectionSchema,
  introspectSchema,
  introspectToken,
} from './introspect-token.ts'
import type { TokensServices } from './services.ts'
import { validateSentToken, validateTokenSchema } from './validate-token.ts'
import {
  maxTokens,
  maxTokensBytes,
  tokenListSchema,
  validateLargeBatch,
  validateTokens,
} from './validate-tokens.ts'
import type { CheckedToken } from './validated-token.ts'

export const tokensTag: Tag = {
  name: 'Tokens',
  description: 'Validation of the tokens of users.',
}

const validationSchema = z
  .object({
    isValid: z.literal(true),
    success_code: z.literal(200),
    user: clientUserSchema,
    act: actSchema.optional(),
    user_token: userTokenSchema
      .pick({ id: true, name: true, scopes: true, expires_at: true })
      .optional()
      .describe("Of a user's own token, and of a JWT that one was exchanged for"),
  })
  .meta({ id: 'TokenValidation' })

const issuedSchema = z
  .object({
    token: z.string().meta({ ...secretMark, examples: [exampleToken] }),
    token_type: z.literal('Bearer'),
    expires_in: secondsSchema(600),
  })
  .meta({ id: 'ExchangedToken' })

const validateTokensSchema = z
  .strictObject({
    tokens: tokenListSchema.meta({ examples: [[`Bearer ${exampleToken}`]] }),
  })
  .meta({ id: 'ValidateTokens' })

const validationsSchema = z
  .object({
    results: z
      .array(
        z.union([
          validationSchema,
          z
            .object({ isValid: z.literal(false), code: z.enum(tokenErrorCodes) })
            .meta({ id: 'TokenRefusal' }),
        ]),
      )
      .max(maxTokens),
  })
  .meta({ id: 'TokenValidations' })

export function createTokenRoutes(services: TokensServices): Route[] {
  return [
    defineRoute({
      id: 'validateToken',
      method: 'POST',
      path: `${rootPath}/auth/validation-token`,
      summary: 'Validate a token and read its user',
      tag: tokensTag,
      scope: 'tokens:validate',
      bodySchema: validateTokenSchema.transform(({ token }) =>
        services.accessTokens.read(readBearer(token) ?? ''),
      ),
      responses: { 200: { description: 'The token is valid', schema: validationSchema } },
      errors: tokenErrorCodes,
      problemExtension: (code): Record<string, unknown> =>
        code.startsWith('token_') ? { isValid: false } : {},
      subjectOf: claimedSubject,
      handle: async ({ call, subject }, { body: token }) => {
        const validated = await validateSentToken(services, call, token, subject)
        return respondWithJson(200, renderValid(validated))
      },
    }),
    defineRoute({
      id: 'validateTokens',
      method: 'POST',
      path: `${rootPath}/auth/validation-tokens`,
      summary: 'Validate up to 100 tokens and read their users',
      tag: tokensTag,
      scope: 'tokens:validate',
      bodySchema: validateTokensSchema,
      maxBodyBytes: maxTokensBytes,
      looksUpItems: true,
      responses: {
        200: {
          description:
            'The result of each token, in their order: an invalid token does not affect the others',
          schema: validationsSchema,
        },
      },
      errors: [],
      handle: async ({ call }, { body }) => {
        const tokens = body.tokens.map((text) => readBearer(text) ?? '')
        const { largeResponses } = services
        const { accountId } = call
        if (largeResponses.has('batch', accountId)) {
          const outcomes = await largeResponses.readParts(call, (inPlace) =>
            validateLargeBatch(services, call, tokens, inPlace),
          )
          const bytes = memoryOfOutcomes(outcomes)
          const parts = largeResponses.render(accountId, encodeOutcomes(outcomes), bytes)
          return respondWithJsonParts(200, parts)
        }
        const outcomes = await validateTokens(services, call, tokens)
        largeResponses.note('batch', accountId, memoryOfOutcomes(outcomes))
        return respondWithJson(200, `{"results":[${outcomes.map(renderOutcome).join(',')}]}`)
      },
    }),
    defineRoute({
      id: 'exchangeToken',
      method: 'POST',
      path: `${rootPath}/auth/token/exchange`,
      summary: "Exchange a user's own token for a JWT of at most ten minutes",
      tag: tokensTag,
      scope: 'tokens:issue',
      bodySchema: exchangeTokenSchema.transform(({ token }) => services.accessTokens.read(token)),
      responses: { 200: { description: 'The JWT, with the claim `scope`', schema: issuedSchema } },
      errors: tokenErrorCodes,
      subjectOf: claimedSubject,
      handle: async ({ call, subject }, { body: token }) =>
        respondWithJson(
          200,
          JSON.stringify(toWire(await exchangeToken(services, call, token, subject))),
        ),
    }),
    defineRoute({
      id: 'introspectToken',
      method: 'POST',
      path: `${rootPath}/auth/introspect`,
      summary: 'Introspect a token (RFC 7662)',
      tag: tokensTag,
      scope: 'tokens:validate',
      acceptsBasic: true,
      takesForm: true,
      bodySchema: introspectSchema.transform(({ token }) => services.accessTokens.read(token)),
      responses: {
        200: {
          description: 'Whether the token is active, and its claims',
          schema: introspectionSchema,
        },
      },
      errors: [],
      subjectOf: claimedSubject,
      handle: async ({ call, subject }, { body: token }) =>
        respondWithJson(200, JSON.stringify(await introspectToken(services, call, token, subject))),
    }),
  ]
}

/** At most this many bytes of memory take the users and the scopes of tokens; what else they have is short. */
function memoryOfOutcomes(outcomes: readonly OrTokenError<CheckedToken>[]): number {
  const valid = outcomes.flatMap((outcome) => ('code' in outcome ? [] : outcome.value))
  const scopes = valid.flatMap(({ userToken }) => userToken?.scopes ?? [])
  return memoryOfUsers(valid.map(({ user }) => user)) + 2 * scopes.join('').length
}

function renderOutcome(outcome: OrTokenError<CheckedToken>): string {
  return 'code' in outcome
    ? JSON.stringify({ isValid: false, code: outcome.code })
    : renderValid(outcome.value)
}

function* encodeOutcomes(outcomes: readonly OrTokenError<CheckedToken>[]): Iterable<Uint8Array> {
  yield Buffer.from('{"results":[')
  for (const [index, outcome] of outcomes.entries())
    yield Buffer.from((index === 0 ? '' : ',') + renderOutcome(outcome))
  yield Buffer.from(']}')
}

function renderValid({ user, userToken, claims }: CheckedToken): string {
  const act = readActor(claims)
  const actor = act === undefined ? '' : `,"act":${JSON.stringify(act)}`
  const ofToken =
    userToken === undefined ? '' : `,"user_token":${JSON.stringify(toWire(userToken))}`
  return `{"isValid":true,"success_code":200,"user":${renderUser(user)}${actor}${ofToken}}`
}
