import { rootPath } from '../../http/match-route.ts'
import { respondWithoutBody, respondWithUser } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { findRoot, userPathSchema } from '../users/routes.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { inviteUser } from './invite-user.ts'
import { sendInvitation, sendInvitationSchema } from './send-invitation.ts'
import type { InvitationsServices } from './services.ts'

const tag: Tag = {
  name: 'Invitations',
  description:
    'Users who set their own passwords: a token is e-mailed, and the user returns it with a password.',
}

export function createInvitationRoutes(services: InvitationsServices): Route[] {
  const { userSchemas } = services
  return [
    defineRoute({
      id: 'inviteUser',
      method: 'POST',
      path: `${rootPath}/invite`,
      summary: 'Create a user without a password, and e-mail a token that sets one',
      tag,
      scope: 'users:write',
      bodySchema: userSchemas.wire.invite,
      requestHeaders: ['Idempotency-Key'],
      asksHooks: true,
      responses: {
        201: { description: 'The user', schema: clientUserSchema, headers: ['ETag', 'Location'] },
      },
      errors: ['email_taken', 'mail_unavailable', 'rate_limited'],
      handle: async ({ call, request }, { body }) => {
        const invited = await inviteUser(services, call, body)
        return respondWithUser(201, invited, {
          location: `${findRoot(services, request)}/${invited.user.id}`,
        })
      },
    }),
    defineRoute({
      id: 'sendInvitation',
      method: 'POST',
      path: `${rootPath}/{id}/invite`,
      summary: 'E-mail an invitation to an existing user; an earlier one ends',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: sendInvitationSchema,
      responses: { 202: { description: 'The e-mail is sent' } },
      errors: [
        'user_not_found',
        'invitation_accepted',
        'user_inactive',
        'mail_unavailable',
        'rate_limited',
      ],
      handle: async ({ call }, { path, body }) => {
        await sendInvitation(services, call, path.id, body)
        return respondWithoutBody(202)
      },
    }),
    defineRoute({
      id: 'acceptInvitation',
      method: 'POST',
      path: `${rootPath}/auth/invitation/accept`,
      summary: 'Accept an invitation with its e-mailed token: set the password, verify the address',
      tag,
      scope: 'tokens:issue',
      bodySchema: userSchemas.accept,
      responses: { 204: { description: 'The user can sign in' } },
      errors: ['invitation_invalid'],
      handle: async ({ call }, { body }) => {
        await acceptInvitation(services, call, body)
        return respondWithoutBody(204)
      },
    }),
  ]
}
