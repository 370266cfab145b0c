import { z } from 'zod'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { userPathSchema } from '../users/routes.ts'
import { readEmailVerification } from './get-email-verified-at.ts'
import { emailTokenRequestSchema, requestEmailToken } from './request-email-token.ts'
import { resetPassword } from './reset-password.ts'
import type { EmailTokensServices } from './services.ts'
import type { EmailTokenPurpose } from './store.ts'
import { confirmEmailSchema, verifyEmail } from './verify-email.ts'

/** The tag of what mails about passwords and addresses, and of passwords that expire */
export const passwordsTag: Tag = {
  name: 'Passwords and addresses',
  description:
    'Forgotten passwords and unverified addresses: a token is e-mailed, and the user returns it.',
}
const verificationSchema = z
  .object({
    email_verified_at: timeSchema
      .nullable()
      .describe('Null: the present address of the user is not verified'),
  })
  .meta({ id: 'EmailVerification' })

export function createEmailTokenRoutes(services: EmailTokensServices): Route[] {
  const { userSchemas } = services
  return [
    defineRequest(services, 'password_reset', {
      id: 'forgotPassword',
      path: `${rootPath}/auth/password/forgot`,
      summary: 'E-mail a token that sets a new password',
    }),
    defineRoute({
      id: 'resetPassword',
      method: 'POST',
      path: `${rootPath}/auth/password/reset`,
      summary: 'Set a new password with an e-mail token; every session of the user ends',
      tag: passwordsTag,
      scope: 'tokens:issue',
      bodySchema: userSchemas.reset,
      responses: { 204: { description: 'The password is set' } },
      errors: ['reset_token_invalid'],
      handle: async ({ call }, { body }) => {
        await resetPassword(services, call, body)
        return respondWithoutBody(204)
      },
    }),
    defineRequest(services, 'email_verification', {
      id: 'requestEmailVerification',
      path: `${rootPath}/auth/email/verification`,
      summary: 'E-mail a token that verifies the address',
    }),
    defineRoute({
      id: 'confirmEmail',
      method: 'POST',
      path: `${rootPath}/auth/email/verification/confirm`,
      summary: 'Verify the address with an e-mail token',
      tag: passwordsTag,
      scope: 'tokens:issue',
      bodySchema: confirmEmailSchema,
      responses: { 204: { description: 'The address is verified' } },
      errors: ['verification_token_invalid'],
      handle: async ({ call }, { body }) => {
        await verifyEmail(services, call, body)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'readEmailVerification',
      method: 'GET',
      path: `${rootPath}/{id}/email/verification`,
      summary: 'Read when the present address of a user was verified',
      tag: passwordsTag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The time, or null', schema: verificationSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        const emailVerifiedAt = await readEmailVerification(services, call, path.id)
        return respondWithJson(200, JSON.stringify(toWire({ emailVerifiedAt })))
      },
    }),
  ]
}

function defineRequest(
  services: EmailTokensServices,
  purpose: EmailTokenPurpose,
  about: Pick<Route, 'id' | 'path' | 'summary'>,
): Route {
  return defineRoute({
    ...about,
    method: 'POST',
    tag: passwordsTag,
    scope: 'tokens:issue',
    bodySchema: emailTokenRequestSchema,
    responses: { 202: { description: 'An e-mail is sent if a user has the address' } },
    errors: ['rate_limited'],
    handle: async ({ call }, { body }) => {
      await requestEmailToken(services, call, purpose, body)
      return respondWithoutBody(202)
    },
  })
}
