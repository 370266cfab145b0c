import { z } from 'zod'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { refreshTokenSchema } from '../../base/input/opaque-tokens.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import { maxTokenLength } from '../../base/jwt/parse-token.ts'
import { rootPath } from '../../http/match-route.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { secondsSchema, timeSchema } from '../../http/wire-schemas.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { userPathSchema } from '../users/routes.ts'
import { listSessions } from './list-sessions.ts'
import { logOut } from './log-out.ts'
import type { SignedIn } from './open-session.ts'
import { recoveryCodesSchema } from './recovery-codes-schema.ts'
import { refreshSession, refreshWireSchema } from './refresh-session.ts'
import { revokeSession, revokeSessions } from './revoke-sessions.ts'
import type { SessionsServices } from './services.ts'

const tag: Tag = {
  name: 'Sessions',
  description: 'The open sessions of a user: list them and end them.',
}

/** The tag of all operations for signing in, of several capabilities */
export const signingInTag: Tag = {
  name: 'Signing in',
  description:
    'A password, and a second factor if one is enrolled, open a session: an access token and a refresh token.',
}
const absentSession = pathIdSchema('session_not_found')
export const sessionSchema = z.object({
  id: idSchema,
  amr: z.array(z.string()).meta({
    description: 'Authentication methods (RFC 8176)',
    examples: [['pwd']],
  }),
  impersonated_by: z
    .string()
    .max(254)
    .nullable()
    .meta({
      description: 'Who acts as the user; null: the user',
      examples: ['support@example.com'],
    }),
  created_at: timeSchema,
  last_used_at: timeSchema,
  expires_at: timeSchema,
})
const sessionListSchema = z
  .object({
    data: z.array(sessionSchema),
  })
  .meta({ id: 'SessionList' })

export const signedInSchema = z
  .object({
    success_code: z.literal(200),
    data: z.object({
      token: z
        .string()
        .max(maxTokenLength)
        .meta({
          ...secretMark,
          description: 'A JWT (RFC 7519) of the type at+jwt (RFC 9068)',
          examples: [exampleToken],
        }),
      token_type: z.literal('Bearer'),
      expires_in: secondsSchema(7200),
      refresh_token: refreshTokenSchema,
      refresh_expires_in: secondsSchema(2_592_000),
      recovery_codes: recoveryCodesSchema
        .optional()
        .describe('After a second factor was enrolled on the way in: shown only this time'),
      device_token: refreshTokenSchema
        .optional()
        .describe('For the next sign-in on a remembered device: each use replaces it'),
      device_expires_in: secondsSchema(2_592_000).optional(),
    }),
    user: clientUserSchema,
  })
  .meta({ id: 'SignedIn' })

export function createSessionRoutes(services: SessionsServices): Route[] {
  return [
    defineRoute({
      id: 'refreshSession',
      method: 'POST',
      path: `${rootPath}/auth/refresh`,
      summary: 'Refresh a session: each refresh token works once and yields its successor',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: refreshWireSchema,
      asksHooks: true,
      responses: { 200: { description: 'The session continues', schema: signedInSchema } },
      errors: ['refresh_token_invalid', 'rate_limited'],
      handle: async ({ call }, { body }) =>
        respondWithSession(await refreshSession(services, call, body)),
    }),
    defineRoute({
      id: 'logOut',
      method: 'POST',
      path: `${rootPath}/auth/logout`,
      summary: 'End the session of a refresh token, and revoke its tokens',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: refreshWireSchema,
      responses: {
        204: { description: 'The session has ended, or the token is unknown' },
      },
      errors: [],
      handle: async ({ call }, { body }) => {
        await logOut(services, call, body)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'listSessions',
      method: 'GET',
      path: `${rootPath}/{id}/session`,
      summary: "List a user's live sessions, oldest first",
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The sessions', schema: sessionListSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        const sessions = await listSessions(services, call, path.id)
        return respondWithJson(200, JSON.stringify({ data: sessions.map(toWire) }))
      },
    }),
    defineRoute({
      id: 'revokeSessions',
      method: 'DELETE',
      path: `${rootPath}/{id}/session`,
      summary: 'End every session of a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'All sessions have ended' } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        await revokeSessions(services, call, path.id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'revokeSession',
      method: 'DELETE',
      path: `${rootPath}/{id}/session/{session_id}`,
      summary: 'End one session of a user',
      tag,
      scope: 'users:write',
      pathSchema: z.object({ id: absentSession, session_id: absentSession }),
      responses: { 204: { description: 'The session has ended' } },
      errors: ['session_not_found'],
      handle: async ({ call }, { path }) => {
        await revokeSession(services, call, path.id, path.session_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}

export function respondWithSession({ user, ...data }: SignedIn): HttpResponse {
  const body = { success_code: 200, data: toWire(data), user: toWire(user) }
  return respondWithJson(200, JSON.stringify(body))
}
