import { rootPath } from '../../http/match-route.ts'
import { respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { passwordsTag } from '../email-tokens/routes.ts'
import { userPathSchema } from '../users/routes.ts'
import { confirmEmailChange, emailChangeTokenSchema } from './confirm-email-change.ts'
import { emailChangeRequestSchema, requestEmailChange } from './request-email-change.ts'
import type { EmailChangesServices } from './services.ts'
import { undoEmailChange } from './undo-email-change.ts'

export function createEmailChangeRoutes(services: EmailChangesServices): Route[] {
  return [
    defineRoute({
      id: 'requestEmailChange',
      method: 'POST',
      path: `${rootPath}/{id}/email/change`,
      summary: 'E-mail the new address a token that confirms it, and the present one a notice',
      tag: passwordsTag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: emailChangeRequestSchema,
      responses: { 202: { description: 'The e-mails are sent' } },
      errors: ['user_not_found', 'user_inactive', 'mail_unavailable', 'rate_limited'],
      handle: async ({ call }, { path, body }) => {
        await requestEmailChange(services, call, path.id, body)
        return respondWithoutBody(202)
      },
    }),
    defineRoute({
      id: 'confirmEmailChange',
      method: 'POST',
      path: `${rootPath}/auth/email/change/confirm`,
      summary: 'Give a user the new address with the token that was e-mailed to it',
      tag: passwordsTag,
      scope: 'tokens:issue',
      bodySchema: emailChangeTokenSchema,
      asksHooks: true,
      responses: { 204: { description: 'The user has the new address, and it is verified' } },
      errors: ['email_change_invalid', 'email_taken'],
      handle: async ({ call }, { body }) => {
        await confirmEmailChange(services, call, body)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'undoEmailChange',
      method: 'POST',
      path: `${rootPath}/auth/email/change/undo`,
      summary: 'Cancel a change of an address, or take it back, with the token of the notice',
      tag: passwordsTag,
      scope: 'tokens:issue',
      bodySchema: emailChangeTokenSchema,
      asksHooks: true,
      responses: {
        204: {
          description:
            'The change is cancelled; or the user has the former address, and only the password is left, which has expired',
        },
      },
      errors: ['email_change_invalid', 'email_taken'],
      handle: async ({ call }, { body }) => {
        await undoEmailChange(services, call, body)
        return respondWithoutBody(204)
      },
    }),
  ]
}
