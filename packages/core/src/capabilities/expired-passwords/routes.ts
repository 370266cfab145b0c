import { wireObject } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { policyErrors } from '../accounts/assert-sign-in.ts'
import { passwordsTag } from '../email-tokens/routes.ts'
import { respondWithSession, signedInSchema, signingInTag } from '../sessions/routes.ts'
import { userPathSchema } from '../users/routes.ts'
import { changeExpiredPassword, changeExpiredPasswordShape } from './change-expired-password.ts'
import { expirePassword } from './expire-password.ts'
import type { ExpiredPasswordsServices } from './services.ts'

export function createExpiredPasswordRoutes(services: ExpiredPasswordsServices): Route[] {
  const shape = changeExpiredPasswordShape(services.userSchemas.password)
  return [
    defineRoute({
      id: 'expirePassword',
      method: 'POST',
      path: `${rootPath}/{id}/password/expire`,
      summary: 'Make a user choose another password at the next sign-in with it; sessions go on',
      tag: passwordsTag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'The password has expired, or the user has none' } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path: { id } }) => {
        await expirePassword(services, call, id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'changeExpiredPassword',
      method: 'POST',
      path: `${rootPath}/auth/login/password`,
      summary: 'Complete a sign-in whose password has expired with another password',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: wireObject(shape, { id: 'ChangeExpiredPassword' }),
      asksHooks: true,
      responses: { 200: { description: 'The user is signed in', schema: signedInSchema } },
      errors: ['challenge_invalid', ...policyErrors],
      handle: async ({ call }, { body }) =>
        respondWithSession(await changeExpiredPassword(services, call, body)),
    }),
  ]
}
