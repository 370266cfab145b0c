import { z } from 'zod'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import { maxTokenLength } from '../../base/jwt/parse-token.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { secondsSchema } from '../../http/wire-schemas.ts'
import { userPathSchema } from '../users/routes.ts'
import { impersonateUser, impersonateWireSchema } from './impersonate-user.ts'
import type { ImpersonationServices } from './services.ts'

const tag: Tag = {
  name: 'Impersonation',
  description: 'Sessions for people who act as a user, such as support staff.',
}

const impersonationSchema = z
  .object({
    token: z
      .string()
      .max(maxTokenLength)
      .meta({
        ...secretMark,
        description: 'A JWT (RFC 7519) with the claim `act` (RFC 8693); there is no refresh token',
        examples: [exampleToken],
      }),
    token_type: z.literal('Bearer'),
    expires_in: secondsSchema(900),
  })
  .meta({ id: 'Impersonation' })

export function createImpersonationRoutes(services: ImpersonationServices): Route[] {
  return [
    defineRoute({
      id: 'impersonateUser',
      method: 'POST',
      path: `${rootPath}/{id}/impersonate`,
      summary: 'Open a session for a person who acts as a user: the event has actor and reason',
      tag,
      scope: 'users:impersonate',
      pathSchema: userPathSchema,
      bodySchema: impersonateWireSchema,
      asksHooks: true,
      responses: { 200: { description: 'The token', schema: impersonationSchema } },
      errors: ['user_not_found', 'user_inactive', 'impersonation_limit_reached'],
      handle: async ({ call }, { path: { id }, body }) => {
        const issued = await impersonateUser(services, call, id, body)
        return respondWithJson(200, JSON.stringify(toWire(issued)))
      },
    }),
  ]
}
