import { z } from 'zod'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire, wireObject } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithJsonParts, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { userPathSchema } from '../users/routes.ts'
import { createUserToken } from './create-user-token.ts'
import { listUserTokens } from './list-user-tokens.ts'
import { renameUserToken } from './rename-user-token.ts'
import { revokeUserToken, revokeUserTokens } from './revoke-user-tokens.ts'
import type { UserTokensServices } from './services.ts'
import {
  exampleUserToken,
  newUserTokenShape,
  renameUserTokenSchema,
  scopesSchema,
  type UserToken,
} from './user-token.ts'

const tag: Tag = {
  name: 'User tokens',
  description:
    "Users' own tokens, for programs that act for them: make, list, rename and revoke them. Validating and exchanging them is under Tokens.",
}
const absentToken = pathIdSchema('user_token_not_found')
const tokenPathSchema = z.object({ id: absentToken, token_id: absentToken })

export const userTokenSchema = z
  .object({
    id: idSchema,
    name: renameUserTokenSchema.shape.name,
    scopes: scopesSchema,
    prefix: z
      .string()
      .describe('The beginning of the token, by which people tell tokens apart')
      .meta({ examples: ['cut_live_00wjsJp8Zf3kBdAcYt0QOx2k9fQz…'] }),
    created_at: timeSchema,
    expires_at: timeSchema.nullable().describe('Null: it does not expire'),
    last_used_at: timeSchema.nullable().describe('Written at most once a minute; null: never used'),
  })
  .meta({ id: 'UserToken' })
const createdSchema = userTokenSchema
  .extend({
    token: z
      .string()
      .describe('The token, shown only this time')
      .meta({
        ...secretMark,
        examples: [exampleUserToken],
      }),
  })
  .meta({ id: 'CreatedUserToken' })
const listSchema = z.object({ data: z.array(userTokenSchema) }).meta({ id: 'UserTokenList' })

/** At most this many bytes of memory take the scopes; what else tokens have is short. */
function memoryOf(tokens: readonly UserToken[]): number {
  let characters = 0
  for (const { scopes } of tokens) for (const scope of scopes) characters += scope.length
  return 2 * characters
}

function* encodeTokens(tokens: readonly UserToken[]): Iterable<Uint8Array> {
  yield Buffer.from('{"data":[')
  for (const [index, token] of tokens.entries())
    yield Buffer.from((index === 0 ? '' : ',') + JSON.stringify(toWire(token)))
  yield Buffer.from(']}')
}

export function createUserTokenRoutes(services: UserTokensServices): Route[] {
  const path = `${rootPath}/{id}/token`
  return [
    defineRoute({
      id: 'createUserToken',
      method: 'POST',
      path,
      summary: 'Make a token that belongs to a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: wireObject(newUserTokenShape, { id: 'NewUserToken' }),
      responses: { 201: { description: 'The token, with its text', schema: createdSchema } },
      errors: ['user_not_found', 'user_inactive', 'user_token_limit_reached'],
      handle: async ({ call }, { path: { id }, body }) =>
        respondWithJson(
          201,
          JSON.stringify(toWire(await createUserToken(services, call, id, body))),
        ),
    }),
    defineRoute({
      id: 'listUserTokens',
      method: 'GET',
      path,
      summary: "List a user's own tokens, oldest first",
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The tokens, without their texts', schema: listSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path: { id } }) => {
        const { largeResponses } = services
        const { accountId } = call
        const read = () => listUserTokens(services, call, id)
        if (largeResponses.has('tokens', accountId)) {
          const tokens = await largeResponses.read(call, read)
          const parts = largeResponses.render(accountId, encodeTokens(tokens), memoryOf(tokens))
          return respondWithJsonParts(200, parts)
        }
        const tokens = await read()
        largeResponses.note('tokens', accountId, memoryOf(tokens))
        return respondWithJson(200, JSON.stringify({ data: tokens.map((token) => toWire(token)) }))
      },
    }),
    defineRoute({
      id: 'revokeUserTokens',
      method: 'DELETE',
      path,
      summary: "Revoke every token of a user's own",
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'All tokens are revoked' } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path: { id } }) => {
        await revokeUserTokens(services, call, id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'renameUserToken',
      method: 'PATCH',
      path: `${path}/{token_id}`,
      summary: "Rename one of a user's own tokens",
      tag,
      scope: 'users:write',
      pathSchema: tokenPathSchema,
      bodySchema: renameUserTokenSchema,
      responses: { 200: { description: 'The token, without its text', schema: userTokenSchema } },
      errors: ['user_token_not_found'],
      handle: async ({ call }, { path: { id, token_id }, body }) => {
        const renamed = await renameUserToken(services, call, id, token_id, body)
        return respondWithJson(200, JSON.stringify(toWire(renamed)))
      },
    }),
    defineRoute({
      id: 'revokeUserToken',
      method: 'DELETE',
      path: `${path}/{token_id}`,
      summary: "Revoke one of a user's own tokens",
      tag,
      scope: 'users:write',
      pathSchema: tokenPathSchema,
      responses: { 204: { description: 'The token is revoked' } },
      errors: ['user_token_not_found'],
      handle: async ({ call }, { path: { id, token_id } }) => {
        await revokeUserToken(services, call, id, token_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}
