import { z } from 'zod'
import { opaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { countSchema, secondsSchema } from '../../http/wire-schemas.ts'
import { policyErrors } from '../accounts/assert-sign-in.ts'
import { requestOptionsSchema } from '../passkeys/webauthn-options.ts'
import { recoveryCodesSchema } from '../sessions/recovery-codes-schema.ts'
import { respondWithSession, signedInSchema, signingInTag } from '../sessions/routes.ts'
import { userPathSchema } from '../users/routes.ts'
import { beginPasskeyMfa } from './begin-passkey-mfa.ts'
import type { PasswordChangeRequired } from './challenge-user.ts'
import { completeMfa, completeMfaWireSchema } from './complete-mfa.ts'
import { enrolEmailFactor } from './enrol-email-factor.ts'
import { enrolToLogIn, enrolToLogInSchema } from './enrol-to-log-in.ts'
import { challengeOnlySchema, mailMfaCode, mailMfaCodeSchema } from './mail-mfa-code.ts'
import { readMfaState } from './read-mfa-state.ts'
import { removeMfaFactors } from './remove-mfa-factors.ts'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import type { MfaServices } from './services.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp } from './totp-factor.ts'

const tag: Tag = {
  name: 'Second factors',
  description: "A user's authenticator app, mailed codes and recovery codes.",
}
const base = `${rootPath}/{id}/two-factor`

const codesSchema = z.object({ recovery_codes: recoveryCodesSchema }).meta({ id: 'RecoveryCodes' })
const enrolmentSchema = z
  .object({
    secret: z
      .string()
      .length(32)
      .meta({
        ...secretMark,
        description: 'Base32',
        examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
      }),
    otpauth_uri: z.string().meta({
      ...secretMark,
      description: 'The URI that authenticator apps read',
      examples: [
        'otpauth://totp/Acme:ada%40example.com?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      ],
    }),
    qr_svg: z
      .string()
      .optional()
      .meta({
        ...secretMark,
        description: 'The URI as a QR code, if requested',
        examples: [
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 49 49"><path d="M2 2h7v1z"/></svg>',
        ],
      }),
  })
  .meta({ id: 'TotpEnrolment' })
export const mfaStateSchema = z
  .object({ totp: z.boolean(), email: z.boolean(), recovery_codes_left: countSchema(10, 10) })
  .meta({ id: 'TwoFactorState' })

const passkeyOptionsSchema = z
  .object({ options: requestOptionsSchema, expires_in: secondsSchema(300) })
  .meta({ id: 'PasskeyTwoFactor' })

const qrQuerySchema = z.object({
  qr: z.enum(['svg']).optional().describe('Adds the URI as a QR code in SVG.'),
})

export const passwordChangeRequiredSchema = z
  .object({
    success_code: z.literal(202),
    data: z.object({
      password_change_required: z.literal(true),
      challenge: opaqueTokenSchema,
      expires_in: secondsSchema(300),
      recovery_codes: recoveryCodesSchema
        .optional()
        .describe('After a second factor was enrolled on the way in: shown only this time'),
    }),
  })
  .meta({ id: 'PasswordChangeRequired' })

export function createMfaRoutes(services: MfaServices): Route[] {
  return [
    defineRoute({
      id: 'completeTwoFactor',
      method: 'POST',
      path: `${rootPath}/auth/login/two-factor`,
      summary: 'Complete a sign-in by answering its challenge',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: completeMfaWireSchema,
      asksHooks: true,
      responses: {
        200: { description: 'The user is signed in', schema: signedInSchema },
        202: {
          description: 'The password has expired: another one is asked for',
          schema: passwordChangeRequiredSchema,
        },
      },
      errors: [
        'challenge_invalid',
        'two_factor_code_invalid',
        'passkey_invalid',
        ...policyErrors,
        'rate_limited',
      ],
      handle: async ({ call }, { body }) => {
        const result = await completeMfa(services, call, body)
        return 'token' in result ? respondWithSession(result) : respondWithPasswordChange(result)
      },
    }),
    defineRoute({
      id: 'mailTwoFactorCode',
      method: 'POST',
      path: `${rootPath}/auth/login/two-factor/email`,
      summary: 'E-mail a code for the challenge of a sign-in',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: mailMfaCodeSchema,
      responses: { 202: { description: 'The code will be sent' } },
      errors: [
        'challenge_invalid',
        'two_factor_not_enrolled',
        'mail_unavailable',
        ...policyErrors,
        'rate_limited',
      ],
      handle: async ({ call }, { body }) => {
        await mailMfaCode(services, call, body)
        return respondWithoutBody(202)
      },
    }),
    defineRoute({
      id: 'beginPasskeyTwoFactor',
      method: 'POST',
      path: `${rootPath}/auth/login/two-factor/passkey`,
      summary: 'Begin to answer the challenge of a sign-in with a passkey',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: challengeOnlySchema,
      responses: { 200: { description: 'The options for the page', schema: passkeyOptionsSchema } },
      errors: [
        'challenge_invalid',
        'two_factor_not_enrolled',
        'passkeys_not_configured',
        ...policyErrors,
      ],
      handle: async ({ call }, { body }) =>
        respondWithJson(200, JSON.stringify(toWire(await beginPasskeyMfa(services, call, body)))),
    }),
    defineRoute({
      id: 'enrolTwoFactorToLogIn',
      method: 'POST',
      path: `${rootPath}/auth/login/two-factor/enrol`,
      summary: 'Begin to enrol the second factor that a sign-in asks for',
      tag: signingInTag,
      scope: 'tokens:issue',
      querySchema: qrQuerySchema,
      bodySchema: enrolToLogInSchema,
      responses: {
        200: { description: 'The secret for the app', schema: enrolmentSchema },
        202: { description: 'The code will be sent' },
      },
      errors: [
        'challenge_invalid',
        'two_factor_already_enrolled',
        'mail_unavailable',
        ...policyErrors,
        'rate_limited',
      ],
      handle: async ({ call }, { query, body }) => {
        const enrolment = await enrolToLogIn(services, call, body, query.qr === 'svg')
        return enrolment === undefined
          ? respondWithoutBody(202)
          : respondWithJson(200, JSON.stringify(toWire(enrolment)))
      },
    }),
    defineRoute({
      id: 'readTwoFactor',
      method: 'GET',
      path: base,
      summary: 'Read which second factors a user has',
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The second factors', schema: mfaStateSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) =>
        respondWithJson(200, JSON.stringify(toWire(await readMfaState(services, call, path.id)))),
    }),
    defineRoute({
      id: 'enrolTotp',
      method: 'POST',
      path: `${base}/totp`,
      summary: 'Begin to enrol an authenticator app (RFC 6238)',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      querySchema: qrQuerySchema,
      responses: { 201: { description: 'The secret for the app', schema: enrolmentSchema } },
      errors: ['user_not_found', 'two_factor_already_enrolled'],
      handle: async ({ call }, { path, query }) => {
        const enrolment = await enrolTotp(services, call, path.id, query.qr === 'svg')
        return respondWithJson(201, JSON.stringify(toWire(enrolment)))
      },
    }),
    defineRoute({
      id: 'confirmTotp',
      method: 'POST',
      path: `${base}/totp/confirm`,
      summary: 'Confirm an authenticator app with one of its codes',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      bodySchema: confirmTotpSchema,
      responses: {
        200: { description: 'The recovery codes, shown only this time', schema: codesSchema },
      },
      errors: [
        'user_not_found',
        'two_factor_code_invalid',
        'two_factor_not_enrolled',
        'two_factor_already_enrolled',
        'rate_limited',
      ],
      handle: async ({ call }, { path, body }) => {
        const codes = await confirmTotp(services, call, path.id, body)
        return respondWithJson(200, JSON.stringify({ recovery_codes: codes }))
      },
    }),
    defineRoute({
      id: 'renewRecoveryCodes',
      method: 'POST',
      path: `${base}/recovery-codes`,
      summary: 'Replace the recovery codes by new ones',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: {
        200: { description: 'The recovery codes, shown only this time', schema: codesSchema },
      },
      errors: ['user_not_found', 'two_factor_not_enrolled'],
      handle: async ({ call }, { path }) => {
        const codes = await renewRecoveryCodes(services, call, path.id)
        return respondWithJson(200, JSON.stringify({ recovery_codes: codes }))
      },
    }),
    defineRoute({
      id: 'enrolEmailFactor',
      method: 'POST',
      path: `${base}/email`,
      summary: 'Enable e-mailed codes as a second factor of a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'The factor is enabled' } },
      errors: ['user_not_found', 'mail_unavailable'],
      handle: async ({ call }, { path }) => {
        await enrolEmailFactor(services, call, path.id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'removeTwoFactor',
      method: 'DELETE',
      path: base,
      summary: 'Remove every second factor of a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'The user signs in with the password alone' } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path }) => {
        await removeMfaFactors(services, call, path.id)
        return respondWithoutBody(204)
      },
    }),
  ]
}

export function respondWithPasswordChange(result: PasswordChangeRequired): HttpResponse {
  return respondWithJson(202, JSON.stringify({ success_code: 202, data: toWire(result) }))
}
