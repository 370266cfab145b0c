import { z } from 'zod'
import { tokenErrorCodes } from '../../base/errors.ts'
import { opaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { secondsSchema } from '../../http/wire-schemas.ts'
import { enrolledMethods, mfaMethods } from '../mfa/challenge-user.ts'
import { passwordChangeRequiredSchema, respondWithPasswordChange } from '../mfa/routes.ts'
import { respondWithSession, signedInSchema, signingInTag } from '../sessions/routes.ts'
import { logIn, logInWireSchema } from './log-in.ts'
import { idTokenLogInWireSchema, logInWithIdToken } from './log-in-with-id-token.ts'
import type { SignInResult } from './proceed.ts'
import { reauthenticate, reauthenticateWireSchema } from './reauthenticate.ts'
import type { SignInServices } from './services.ts'

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
const enrolmentRequiredSchema = z
  .object({
    success_code: z.literal(202),
    data: z.object({
      two_factor_enrolment_required: z.literal(true),
      challenge: opaqueTokenSchema,
      methods: z.array(z.enum(enrolledMethods)),
      expires_in: secondsSchema(300),
    }),
  })
  .meta({ id: 'TwoFactorEnrolmentRequired' })
/** The responses of every sign-in that may ask for more */
export const signInResponses = {
  200: { description: 'The user is signed in', schema: signedInSchema },
  202: {
    description:
      'A second factor is asked for; or, where the account requires one, its enrolment; or another password, where it has expired',
    schema: z.union([mfaRequiredSchema, enrolmentRequiredSchema, passwordChangeRequiredSchema]),
  },
}

export function createSignInRoutes(services: SignInServices): Route[] {
  return [
    defineRoute({
      id: 'logIn',
      method: 'POST',
      path: `${rootPath}/auth/login`,
      summary: 'Sign a user in with e-mail and password',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: logInWireSchema,
      asksHooks: true,
      responses: signInResponses,
      errors: [
        'credentials_invalid',
        'sign_in_method_disabled',
        'email_not_verified',
        'rate_limited',
      ],
      handle: async ({ call }, { body }) => respondToSignIn(await logIn(services, call, body)),
    }),
    defineRoute({
      id: 'logInWithIdToken',
      method: 'POST',
      path: `${rootPath}/auth/login/id-token`,
      summary: 'Sign a user in with an ID token of an issuer that the account trusts for it',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: idTokenLogInWireSchema,
      asksHooks: true,
      responses: signInResponses,
      errors: [
        ...tokenErrorCodes,
        'email_taken',
        'identity_taken',
        'identity_limit_reached',
        'sign_in_method_disabled',
        'rate_limited',
      ],
      handle: async ({ call }, { body }) =>
        respondToSignIn(await logInWithIdToken(services, call, body)),
    }),
    defineRoute({
      id: 'reauthenticate',
      method: 'POST',
      path: `${rootPath}/auth/reauthenticate`,
      summary: 'Continue a session after its user has shown a password or a second factor again',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: reauthenticateWireSchema,
      asksHooks: true,
      responses: {
        200: {
          description: 'The session continues, and its tokens say so',
          schema: signedInSchema,
        },
      },
      errors: [
        'refresh_token_invalid',
        'sign_in_method_disabled',
        'credentials_invalid',
        'two_factor_code_invalid',
        'rate_limited',
      ],
      handle: async ({ call }, { body }) =>
        respondWithSession(await reauthenticate(services, call, body)),
    }),
  ]
}

export function respondToSignIn(result: SignInResult): HttpResponse {
  if ('token' in result) return respondWithSession(result)
  if ('passwordChangeRequired' in result) return respondWithPasswordChange(result)
  if ('mfaEnrolmentRequired' in result) {
    const { mfaEnrolmentRequired: two_factor_enrolment_required, ...challenge } = result
    const data = { two_factor_enrolment_required, ...toWire(challenge) }
    return respondWithJson(202, JSON.stringify({ success_code: 202, data }))
  }
  const { mfaRequired: two_factor_required, ...challenge } = result
  const data = { two_factor_required, ...toWire(challenge) }
  return respondWithJson(202, JSON.stringify({ success_code: 202, data }))
}
